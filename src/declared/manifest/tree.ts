/** UTF-16 units from the document's start. */
export interface SourceSpan {
  readonly offset: number;
  readonly length: number;
}

export interface DocumentError extends SourceSpan {
  readonly message: string;
}

/** The result of parsing one notation. */
export interface DocumentTree {
  /** Undefined when there is a syntax error. */
  readonly value: unknown;
  readonly parseErrors: readonly DocumentError[];
  /** The span of the value, or of its nearest ancestor that exists. */
  at(segments: readonly string[]): SourceSpan;
  /** The span of the property's name, or of the value if it has none. */
  keyAt(segments: readonly string[]): SourceSpan;
}

/** The deepest nesting that is accepted, because parsers and validators are recursive. */
export const MANIFEST_DEPTH = 100;
