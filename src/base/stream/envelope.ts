import { fieldAt } from '../json.ts';

/** What every tool call ends in (spec C-41, C-42). Key names are the spec's and go to the model unchanged. */
export type Envelope =
  | { readonly type: 'output'; readonly data: unknown; readonly metadata: EnvelopeMetadata }
  | { readonly type: 'error'; readonly error_text: string; readonly metadata: EnvelopeMetadata };

/** The field a tool puts its text in, whichever tool it is; else nothing is invented. */
export function dataText(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  return ['head', 'output', 'content', 'text']
    .map((key) => fieldAt(data, key))
    .find((value) => typeof value === 'string');
}

export interface EnvelopeMetadata {
  /** Whole milliseconds. */
  readonly duration_ms: number;
  readonly truncated?: true;
  /** The file that holds everything that was cut off. */
  readonly output_path?: string;
  /** What the user made of the proposal; absent when it was approved as it was. */
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
  /** The parts of a changed file. */
  readonly hunks?: readonly {
    /** In the text before the change, from 1. */
    readonly line: number;
    readonly outcome: 'kept' | 'rejected' | 'changed' | 'added';
    /** What the user wrote instead; cut when it is long. */
    readonly approved_text?: string;
  }[];
  /** Hunks that are not listed. */
  readonly more_hunks?: number;
}
