/** What the editor's language features are asked. Lines and characters are 0-based, in UTF-16 units. */
export interface LanguageQuery {
  readonly operation: LanguageOperation;
  /** The file. Absolute. Absent: the whole workspace. */
  readonly path?: string;
  /** Where the symbol stands. */
  readonly position?: CodePosition;
  /** The text of that line, so that another version of the file is not asked about. */
  readonly lineText?: string;
  /** What to search for, or the new name. */
  readonly text?: string;
}

export const LANGUAGE_OPERATIONS = [
  'definition',
  'references',
  'document_symbols',
  'workspace_symbols',
  'diagnostics',
  'rename',
] as const;

export type LanguageOperation = (typeof LANGUAGE_OPERATIONS)[number];

export interface CodePosition {
  readonly line: number;
  readonly character: number;
}

export interface CodeRange {
  readonly start: CodePosition;
  readonly end: CodePosition;
}

/** One definition, reference, symbol or problem. */
export interface CodeLocation {
  /** Absolute. */
  readonly path: string;
  readonly range: CodeRange;
  /** The symbol, or the message of a problem. */
  readonly text?: string;
  /** What kind of symbol it is, or how severe the problem. */
  readonly kind?: string;
  /** What the symbol is in, or who found the problem. */
  readonly from?: string;
}

/** The edits of a rename in one file. */
export interface RenamedFile {
  /** Absolute. */
  readonly path: string;
  /** SHA-256 of the text that the edits are made for, with LF line ends and without a byte order mark, as hex. */
  readonly textHash: string;
  readonly edits: readonly CodeEdit[];
}

export interface CodeEdit {
  readonly range: CodeRange;
  readonly newText: string;
}

export interface LanguageAnswer {
  readonly locations?: readonly CodeLocation[];
  readonly files?: readonly RenamedFile[];
  /** The language features of the file started a moment ago, so the answer may be incomplete. */
  readonly starting?: boolean;
  /** There was more than is sent. */
  readonly cut?: boolean;
  /** Why there is no answer. */
  readonly error?: string;
}
