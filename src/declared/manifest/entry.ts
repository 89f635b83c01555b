/** What every dialect's tool entry has. */
export interface EntryBase {
  /** As written. */
  readonly id: string;
  /** `<source>_<name>`, what the model calls. */
  readonly importedId: string;
  readonly index: number;
  /** Of the whole entry. */
  readonly pointer: string;
  readonly description: string | undefined;
}
