/** One tool as the host lists it: a row of `_gatehouse/tools`. */
export interface ToolRow {
  readonly id: string;
  readonly source: 'built-in' | 'declared';
  readonly kind: string;
  readonly description: string;
  readonly requires: object;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  readonly state: 'offered' | 'disabled' | 'not offered';
  /** Why it is not offered. */
  readonly why?: string;
  /** What its last call in this session failed with. */
  readonly lastError?: string;
  /** Where it was declared. */
  readonly file?: string;
  /** RFC 6901, of the entry in the file. */
  readonly pointer?: string;
}
