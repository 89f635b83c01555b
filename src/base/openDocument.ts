/** An open text document in the editor. */
export interface OpenDocument {
  /** Absolute path; null for a document that was never saved. */
  readonly path: string | null;
  readonly uri: string;
  readonly dirty: boolean;
  readonly version: number;
  readonly encoding: string;
  readonly eol: '\n' | '\r\n';
}
