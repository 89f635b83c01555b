/** The documentation of a field, in one or two sentences. */
export interface Field {
  readonly name: string;
  readonly doc: string;
  /** The snippet inserted as the value, in the notation of the document. */
  readonly json?: string;
  readonly yaml?: string;
  /** The values to choose from. */
  readonly values?: readonly string[];
}

/** The fields by the pointer of the object that holds them; `*` stands for any index. */
export type FieldTable = Readonly<Record<string, readonly Field[]>>;

/** Snippets for a string. */
export const TEXT = { json: '"$1"', yaml: '$1' };
