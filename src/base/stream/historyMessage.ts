import type { PartBody } from './fold.ts';
import type { StoredMessage } from './stored.ts';

/**
 * The fields of a message that the loop needs. The turn's own answer, which is not stored yet, has
 * this shape too, without an id.
 */
export type HistoryMessage = Pick<StoredMessage, 'role' | 'metadata'> & {
  readonly id?: string;
  readonly parts: readonly PartBody[];
};
