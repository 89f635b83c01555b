/** A proposed change to one file. */
export interface FileChange {
  /** Absolute path. */
  readonly path: string;
  /**
   * SHA-256 in hex of the file's bytes when the proposal was made; of empty content for a new file.
   */
  readonly beforeHash: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  /** Absent when the file is deleted. */
  readonly newText?: string;
  /** A document of its own, such as a plan: it is shown alone, and no file has its path. */
  readonly document?: true;
}

/** What the user approved for one file of a proposal. */
export interface ApprovedFile {
  readonly path: string;
  /** The exact text to write; null deletes the file. */
  readonly text: string | null;
}

/** Why the user rejected a hunk. */
export interface HunkReason {
  readonly path: string;
  /** The hunk's first line in the old text, 1-based. */
  readonly line: number;
  readonly reason: string;
}
