import { diffArrays } from 'diff';
import type { DiffRow } from '../../webview/messages/chatState.ts';

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  /** The changed lines with up to two lines around them. */
  readonly rows: readonly DiffRow[];
  /** Rows that were left out. */
  readonly more: number;
}

/** Rows a card shows before it says how many more there are. */
export const MAX_ROWS = 20;
const CONTEXT = 2;
/** Beyond this the diff is counted as one replaced block: the extension host must not stall. */
const MAX_LINES = 4_000;
/** Lines, counted and not timed, so that a busy machine shows the same card: about 40 ms of work at most. */
const MAX_EDITS = 800;

/** Compares two texts by line, in bounded time. */
export function diffLines(oldText: string, newText: string): LineDiff {
  const before = toLines(oldText);
  const after = toLines(newText);
  const rows = compare(before, after);
  const shown = withContext(rows);
  return {
    added: count(rows, '+'),
    removed: count(rows, '-'),
    rows: shown.slice(0, MAX_ROWS),
    more: Math.max(0, shown.length - MAX_ROWS),
  };
}

function toLines(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function compare(before: readonly string[], after: readonly string[]): readonly DiffRow[] {
  const parts =
    before.length + after.length > MAX_LINES
      ? undefined
      : diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (parts === undefined) return replaceBlock(before, after);
  return parts.flatMap(({ value, added, removed }) =>
    value.map((text): DiffRow => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
}

/** Equal head and tail, and everything between as one change. */
function replaceBlock(before: readonly string[], after: readonly string[]): readonly DiffRow[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const row =
    (sign: DiffRow['sign']) =>
    (text: string): DiffRow => ({ sign, text });
  return [
    ...before.slice(0, head).map(row(' ')),
    ...before.slice(head, before.length - tail).map(row('-')),
    ...after.slice(head, after.length - tail).map(row('+')),
    ...before.slice(before.length - tail).map(row(' ')),
  ];
}

function withContext(rows: readonly DiffRow[]): readonly DiffRow[] {
  const keep = new Set<number>();
  rows.forEach((row, index) => {
    if (row.sign === ' ') return;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near += 1) keep.add(near);
  });
  return rows.filter((_, index) => keep.has(index));
}

function count(rows: readonly DiffRow[], sign: DiffRow['sign']): number {
  return rows.reduce((sum, row) => (row.sign === sign ? sum + 1 : sum), 0);
}
