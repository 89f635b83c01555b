/** A change to one file that the user is shown before it is made, and may alter. */
export interface Preview {
  readonly kind: 'diff';
  /** Absolute path. */
  readonly path: string;
  /** SHA-256 of the file's bytes when the preview was made; of nothing for a new file. */
  readonly baseHash: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
}
