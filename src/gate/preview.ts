import type { FileChange } from '../diff/fileChange.ts';

/** The file changes of a proposal, which the user reviews and may change before they are made. */
export interface Preview {
  /** At least one; each for a different file. */
  readonly changes: readonly FileChange[];
}
