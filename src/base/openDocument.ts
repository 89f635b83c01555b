/** One open text document of the editor. */
export interface OpenDocument {
  /** Absolute; null for a document that was never saved. */
  readonly path: string | null;
  readonly uri: string;
  readonly dirty: boolean;
  readonly version: number;
  readonly encoding: string;
  readonly eol: '\n' | '\r\n';
}
