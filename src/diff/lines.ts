import { diffArrays } from 'diff';
import { commonEnds } from './commonEnds.ts';

/** Lines `[oldFrom, oldTo)` became lines `[newFrom, newTo)`, all zero-based. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** The line terminator of these texts: LF, or CR when none of them contains an LF. */
export function findLineEnd(...texts: readonly string[]): '\n' | '\r' {
  if (texts.some((text) => text.includes('\n'))) return '\n';
  return texts.some((text) => text.includes('\r')) ? '\r' : '\n';
}

/**
 * Splits a string into lines that include their terminators, so that joining them gives the string. The
 * empty text has no lines.
 */
export function splitLines(text: string, lineEnd: '\n' | '\r'): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(lineEnd, at);
    const next = found < 0 ? text.length : found + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

/**
 * Compares two lists of lines. The work is limited by a count rather than by time, so that results
 * don't depend on the machine's load. Beyond the limit, everything between head and tail is one
 * change.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
): readonly LineChange[] {
  const ids = new Map<string, number>();
  const oldIds = before.map((line) => toId(ids, line));
  const newIds = after.map((line) => toId(ids, line));
  const { head, tail } = commonEnds(oldIds.length, newIds.length, (from, to, count) => {
    for (let at = 0; at < count; at += 1) if (oldIds[from + at] !== newIds[to + at]) return false;
    return true;
  });
  const whole: LineChange = {
    ...{ oldFrom: head, oldTo: oldIds.length - tail },
    ...{ newFrom: head, newTo: newIds.length - tail },
  };
  if (whole.oldFrom === whole.oldTo && whole.newFrom === whole.newTo) return [];
  if (whole.oldFrom === whole.oldTo || whole.newFrom === whole.newTo) return [whole];
  const found = compareMiddle(
    oldIds.slice(whole.oldFrom, whole.oldTo),
    newIds.slice(whole.newFrom, whole.newTo),
    head,
  );
  return found ?? [whole];
}

/** Maximum number of added and removed lines; it limits the work to tens of milliseconds. */
const MAX_EDITS = 800;

function compareMiddle(
  before: number[],
  after: number[],
  head: number,
): readonly LineChange[] | undefined {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return undefined;
  const changes: LineChange[] = [];
  let [oldAt, newAt] = [head, head];
  let open: { oldFrom: number; newFrom: number } | undefined;
  const close = () => {
    if (open) changes.push({ ...open, oldTo: oldAt, newTo: newAt });
    open = undefined;
  };
  for (const { count, added, removed } of parts) {
    if (!added && !removed) close();
    else open ??= { oldFrom: oldAt, newFrom: newAt };
    if (!added) oldAt += count;
    if (!removed) newAt += count;
  }
  close();
  return changes;
}

function toId(ids: Map<string, number>, line: string): number {
  const known = ids.get(line);
  if (known !== undefined) return known;
  ids.set(line, ids.size);
  return ids.size - 1;
}
