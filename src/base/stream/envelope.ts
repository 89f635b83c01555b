import { fieldAt } from '../json.ts';

/**
 * The result of every tool call (spec C-41, spec C-42). Key names are fixed and sent to the model
 * unchanged.
 */
export type Envelope =
  | { readonly type: 'output'; readonly data: unknown; readonly metadata: EnvelopeMetadata }
  | { readonly type: 'error'; readonly error_text: string; readonly metadata: EnvelopeMetadata };

/** The text in a tool's data, whichever field the tool puts it in; undefined when there is none. */
export function dataText(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  return ['head', 'output', 'content', 'text']
    .map((key) => fieldAt(data, key))
    .find((value) => typeof value === 'string');
}

export interface EnvelopeMetadata {
  /** In milliseconds, an integer. */
  readonly duration_ms: number;
  readonly truncated?: true;
  /** The file with the complete output, when it was cut. */
  readonly output_path?: string;
  /** Of a failure: the model sees `{"error": text}` instead of the envelope (spec decision 44). */
  readonly failure_content?: 'error';
  /** Protected files that changed while a command ran, without the user being asked about them. */
  readonly protected_changes?: readonly string[];
  /** The user has not reviewed the changes, and whether they are on disk. */
  readonly awaits_review?: string;
  /** The command ran in a copy of the workspace, and what became of its changes. */
  readonly in_copy?: string;
  /** The command failed in the sandbox, and what to do if that is why. */
  readonly sandbox?: string;
  /** Files whose changes were not on disk when the command ran. */
  readonly not_on_disk?: readonly string[];
  /** What the author of the tool should change, though the result was passed on (spec decision 43). */
  readonly lint?: string;
  /** The user's review of the proposal; absent when it was approved unchanged. */
  readonly review?: ReviewSummary;
}

export interface ReviewSummary {
  readonly note: string;
  /** Every proposed file, in order. */
  readonly files: readonly ReviewedFile[];
}

export interface ReviewedFile {
  readonly path: string;
  readonly outcome: 'approved' | 'changed' | 'rejected';
  /** The hunks of a changed file, and those of a rejected one that have a reason. */
  readonly hunks?: readonly {
    /** Line in the old text, 1-based. */
    readonly line: number;
    readonly outcome: 'kept' | 'rejected' | 'changed' | 'added';
    /** What the user wrote instead; cut when long. */
    readonly approved_text?: string;
    /** What was proposed and not written; cut when long. */
    readonly proposed_text?: string;
    /** Why the user rejected or changed it. */
    readonly reason?: string;
  }[];
  /** Number of hunks not listed. */
  readonly more_hunks?: number;
}
