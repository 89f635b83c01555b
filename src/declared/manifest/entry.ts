import type { DialectId } from '../../base/tools/dialectFacts.ts';

/** What the tool entries of all dialects have in common. */
export interface EntryBase {
  readonly dialect: DialectId;
  /** As written. */
  readonly id: string;
  /** `<source>_<name>`, what the model calls. */
  readonly importedId: string;
  /** The id under which rules may have been stored before; undefined if it is the same. */
  readonly formerId: string | undefined;
  readonly index: number;
  /** RFC 6901, of the whole entry. */
  readonly pointer: string;
  readonly description: string | undefined;
}
