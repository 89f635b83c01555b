import { toRecord } from '../../base/json.ts';

const ATTACHED_KINDS = [
  'file',
  'folder',
  'selection',
  'symbol',
  'problems',
  'terminal',
  'changes',
  'image',
  'resource',
  'prompt',
] as const;
export type AttachedKind = (typeof ATTACHED_KINDS)[number];

/**
 * What is attached to a message, as its chip shows it. The extension keeps the content under the id,
 * so that the page's own state stays small.
 */
export interface Attached {
  readonly id: string;
  readonly kind: AttachedKind;
  /** Such as `app.ts:10–42`. */
  readonly label: string;
}

/** Undefined if it is of no known kind. */
export function parseAttached(value: unknown): Attached | undefined {
  const { id, kind, label } = toRecord(value);
  const known = ATTACHED_KINDS.find((each) => each === kind);
  if (typeof id !== 'string' || typeof label !== 'string') return undefined;
  return known && { id, kind: known, label };
}

/**
 * A chip of the message that is being written. One whose content is being read, or could not be read,
 * has the id of its request, and its message is not sent.
 */
export interface Chip extends Attached {
  readonly reading?: true;
  /** The id that it had while it was read, so that it stays the same button. */
  readonly request?: string;
  /** Why there is no content. */
  readonly fault?: string;
}

/** What became of a chip that was being read: what is attached in its place, or why nothing is. */
export type ReadResult = { readonly attached: Attached } | { readonly fault: string };

/** An entry of the `@` list. The extension knows by the id what to attach. */
export interface FoundContext {
  readonly id: string;
  readonly kind: AttachedKind;
  readonly label: string;
  /** Such as the folder of a file. */
  readonly description?: string;
}

/** Most entries of the `@` list. */
export const MOST_FOUND = 20;
