import { compareLines } from '../../diff/lines.ts';
import type { DiffRow } from '../../webview/messages/diff.ts';

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  /** The changed lines with up to two lines of context. */
  readonly rows: readonly DiffRow[];
  /** Number of omitted rows. */
  readonly more: number;
}

/** Maximum number of rows in a card. */
export const MAX_ROWS = 20;
const CONTEXT = 2;
/** Computes a line diff in bounded time. */
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
  const rows: DiffRow[] = [];
  let done = 0;
  const push = (sign: DiffRow['sign'], lines: readonly string[]) => {
    for (const text of lines) rows.push({ sign, text });
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of compareLines(before, after)) {
    push(' ', before.slice(done, oldFrom));
    push('-', before.slice(oldFrom, oldTo));
    push('+', after.slice(newFrom, newTo));
    done = oldTo;
  }
  push(' ', before.slice(done));
  return rows;
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
