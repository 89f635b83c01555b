import type { FileChange } from '../diff/fileChange.ts';

/** A change that is no difference of texts. The user may leave it out. */
export interface ProposedEntry {
  /** Unique in its proposal. */
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** One line for the user, with code in backticks. */
  readonly text: string;
  /** It is made only together with the change of the file's text. */
  readonly withText?: true;
}

/** The file changes of a proposal, which the user reviews and may change before they are made. */
export interface Preview {
  /** At least one; each for a different file. */
  readonly changes: readonly FileChange[];
}
