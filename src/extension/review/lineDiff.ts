import { compareLines } from '../../diff/lines.ts';
import type { DiffLine, DiffRow } from '../../webview/messages/diff.ts';

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  /** The changed lines with up to two lines of context, and gaps between distant ones. */
  readonly rows: readonly DiffRow[];
  /** Number of omitted lines. */
  readonly more: number;
}

/** Maximum number of lines in a card. */
export const MAX_ROWS = 20;
const CONTEXT = 2;
/** A gap takes a row too, so one unchanged line is shown instead. */
const SMALLEST_GAP = 2;

/** Computes a line diff in bounded time. */
export function diffLines(oldText: string, newText: string): LineDiff {
  const before = toLines(oldText);
  const after = toLines(newText);
  const rows = compare(before, after);
  return {
    added: count(rows, '+'),
    removed: count(rows, '-'),
    ...cutRows(withContext(rows)),
  };
}

/** The rows up to the last line that a card has room for. */
export function cutRows(rows: readonly DiffRow[]): Pick<LineDiff, 'rows' | 'more'> {
  const lines = rows.flatMap(({ sign }, at) => (sign === 'gap' ? [] : [at]));
  const last = lines[MAX_ROWS - 1];
  if (last === undefined) return { rows, more: 0 };
  return { rows: rows.slice(0, last + 1), more: lines.length - MAX_ROWS };
}

function toLines(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const rows: DiffLine[] = [];
  let done = 0;
  const push = (sign: DiffLine['sign'], lines: readonly string[]) => {
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

function withContext(rows: readonly DiffLine[]): readonly DiffRow[] {
  const shown: DiffRow[] = [];
  let next = 0;
  const show = (from: number, to: number) => {
    const lines = from - next;
    if (shown.length > 0 && lines >= SMALLEST_GAP) shown.push({ sign: 'gap', lines });
    const first = shown.length > 0 && lines < SMALLEST_GAP ? next : Math.max(from, next);
    for (const row of rows.slice(first, to)) shown.push(row);
    next = Math.max(next, to);
  };
  rows.forEach(({ sign }, index) => {
    if (sign !== ' ') show(Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  return shown;
}

function count(rows: readonly DiffLine[], sign: DiffLine['sign']): number {
  return rows.reduce((sum, row) => (row.sign === sign ? sum + 1 : sum), 0);
}
