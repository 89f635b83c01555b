/** UTF-16 units from the document's start. */
export interface SourceSpan {
  readonly offset: number;
  readonly length: number;
}

export interface DocumentError extends SourceSpan {
  readonly message: string;
}

/** What a parser of one notation gives. */
export interface DocumentTree {
  /** Undefined when there is a syntax error. */
  readonly value: unknown;
  readonly parseErrors: readonly DocumentError[];
  /** The span of the value, or of its nearest holder that is written. */
  at(segments: readonly string[]): SourceSpan;
  /** The span of the property's name; the value's where there is none. */
  keyAt(segments: readonly string[]): SourceSpan;
}

/** Deeper values are refused: the parsers and validators below are recursive. */
export const MANIFEST_DEPTH = 100;
