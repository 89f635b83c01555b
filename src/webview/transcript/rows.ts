import type { ChatItem, ToolItem } from '../messages/chatState.ts';

/** A row of the transcript: an item, or calls that only looked, under one line. */
export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly item: ChatItem }
  | { readonly kind: 'looks'; readonly key: string; readonly items: readonly ToolItem[] };

const FOLDED: ReadonlySet<ToolItem['toolKind']> = new Set(['read', 'search']);

/**
 * The rows of the items. Consecutive reads and searches become one row, unless they failed or were
 * asked about: those stay where they can be seen.
 */
export function toRows(items: readonly ChatItem[], fold: boolean): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < items.length; ) {
    const end = fold ? endOfLooks(items, at) : at;
    const item = items[at];
    if (end > at + 1) {
      const looks = items.slice(at, end).filter((each) => each.kind === 'tool');
      rows.push({ kind: 'looks', key: `looks:${item?.id}`, items: looks });
    } else if (item !== undefined) rows.push({ kind: 'item', key: item.id, item });
    at = Math.max(end, at + 1);
  }
  return rows;
}

/** Where the calls end that fold together, from an index on. */
function endOfLooks(items: readonly ChatItem[], from: number): number {
  let end = from;
  for (let item = items[end]; item !== undefined && isLook(item); item = items[end]) end += 1;
  return end;
}

function isLook(item: ChatItem): boolean {
  if (item.kind !== 'tool' || !FOLDED.has(item.toolKind)) return false;
  const { status, allowedByUser, diffs, ended } = item;
  const calm = status === 'completed' || status === 'in_progress';
  return calm && !allowedByUser && diffs.length === 0 && ended === undefined;
}

/** How many of the calls read, and how many searched. */
export function countLooks(items: readonly ToolItem[]): {
  readonly reads: number;
  readonly searches: number;
} {
  const reads = items.filter(({ toolKind }) => toolKind === 'read').length;
  return { reads, searches: items.length - reads };
}

/** The index of the row that is, or holds, what had this key; -1 if there is none. */
export function findRow(rows: readonly Row[], key: string): number {
  return rows.findIndex(
    (row) =>
      row.key === key ||
      (row.kind === 'item'
        ? `looks:${row.item.id}` === key
        : row.items.some(({ id }) => id === key)),
  );
}
