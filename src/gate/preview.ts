import type { FileChange } from '../diff/fileChange.ts';

/** The changes to files that the user is shown before they are made, and may alter. */
export interface Preview {
  /** At least one, each of another file. */
  readonly changes: readonly FileChange[];
}
