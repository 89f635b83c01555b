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
 * don't depend on the machine's load. Beyond the limit, lines are compared in windows, and what
 * has no equal lines is one change.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
): readonly LineChange[] {
  return before.length + after.length > LONG
    ? compareLong(before, after)
    : compareShort(before, after, () => compareLong(before, after));
}

/** Lines of both texts together, from which on they are compared in windows. */
const LONG = 8_000;
interface Window {
  readonly size: number;
  /** Equal lines after a change that are needed to go on behind them. */
  readonly equal: number;
}

/** Tried one after the other. The last is for lines that are changed so densely that no run is equal. */
const WINDOWS: readonly Window[] = [
  { size: 64, equal: 4 },
  { size: 512, equal: 4 },
  { size: 64, equal: 1 },
];
/** Changes found in windows; whatever follows them is one more change. */
const MAX_CHANGES = 2_000;

/**
 * Compares long texts window by window: equal lines are skipped, and around each difference just
 * enough lines are compared to find equal ones again. Takes linear time.
 */
function compareLong(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  let [oldAt, newAt] = [0, 0];
  let [oldTo, newTo] = [before.length, after.length];
  while (oldTo > 0 && newTo > 0 && before[oldTo - 1] === after[newTo - 1]) {
    oldTo -= 1;
    newTo -= 1;
  }
  // Large windows are not tried again for each change.
  let dense = false;
  for (;;) {
    while (oldAt < oldTo && newAt < newTo && before[oldAt] === after[newAt]) {
      oldAt += 1;
      newAt += 1;
    }
    if (oldAt === oldTo && newAt === newTo) return changes;
    const rest = { oldFrom: oldAt, oldTo, newFrom: newAt, newTo };
    if (changes.length >= MAX_CHANGES) return [...changes, rest];
    const block = dense ? undefined : findBlock(before, after, rest);
    if (block !== undefined) {
      changes.push(block);
      [oldAt, newAt] = [block.oldTo, block.newTo];
      continue;
    }
    const windows: readonly Window[] = dense ? WINDOWS.slice(-1) : WINDOWS;
    const found = compareWindows(before, after, rest, windows);
    if (found === undefined) return [...changes, rest];
    changes.push(...found.changes);
    [oldAt, newAt] = [found.oldTo, found.newTo];
    dense = found.window === WINDOWS.at(-1);
  }
}

/** Lines among which the end of an inserted or removed block is looked for. */
const BLOCK_LINES = 20_000;
/** Equal lines that end a block. */
const BLOCK_END = 4;

/** A block that was only inserted, or only removed, at the start of what is left. */
function findBlock(
  before: readonly string[],
  after: readonly string[],
  { oldFrom, oldTo, newFrom, newTo }: LineChange,
): LineChange | undefined {
  const isEnd = (oldAt: number, newAt: number) => {
    if (oldAt + BLOCK_END > oldTo || newAt + BLOCK_END > newTo) return false;
    for (let at = 0; at < BLOCK_END; at += 1) {
      if (before[oldAt + at] !== after[newAt + at]) return false;
    }
    return true;
  };
  for (let size = 1; size < BLOCK_LINES; size += 1) {
    if (isEnd(oldFrom, newFrom + size)) {
      return { oldFrom, oldTo: oldFrom, newFrom, newTo: newFrom + size };
    }
    if (isEnd(oldFrom + size, newFrom)) {
      return { oldFrom, oldTo: oldFrom + size, newFrom, newTo: newFrom };
    }
  }
  return undefined;
}

/** The changes of the first window that ends in equal lines, and where these end. */
function compareWindows(
  before: readonly string[],
  after: readonly string[],
  { oldFrom, oldTo, newFrom, newTo }: LineChange,
  windows: readonly Window[],
) {
  for (const window of windows) {
    const oldEnd = Math.min(oldFrom + window.size, oldTo);
    const newEnd = Math.min(newFrom + window.size, newTo);
    const found = compareShort(before.slice(oldFrom, oldEnd), after.slice(newFrom, newEnd)).map(
      (change) => moveChange(change, oldFrom, newFrom),
    );
    if (oldEnd === oldTo && newEnd === newTo) return { changes: found, oldTo, newTo, window };
    // The last change may go on behind the window, so that it counts only with equal lines after it.
    const last = found.findLastIndex((change, at) => {
      const next = found[at + 1]?.oldFrom ?? oldEnd;
      if (next - change.oldTo < window.equal) return false;
      return at < found.length - 1 || isEqualAfter(change, oldEnd, newEnd);
    });
    const change = found[last];
    if (change !== undefined) {
      const { oldTo: oldDone, newTo: newDone } = change;
      return { changes: found.slice(0, last + 1), oldTo: oldDone, newTo: newDone, window };
    }
  }
  return undefined;
}

/** Whether both windows end equally long after a change: then all lines between are equal. */
function isEqualAfter(change: LineChange, oldEnd: number, newEnd: number): boolean {
  return oldEnd - change.oldTo === newEnd - change.newTo;
}

function moveChange(change: LineChange, oldBy: number, newBy: number): LineChange {
  return {
    ...{ oldFrom: change.oldFrom + oldBy, oldTo: change.oldTo + oldBy },
    ...{ newFrom: change.newFrom + newBy, newTo: change.newTo + newBy },
  };
}

/** Compares all lines at once. `beyond` is called when they differ too much for that. */
function compareShort(
  before: readonly string[],
  after: readonly string[],
  beyond?: () => readonly LineChange[],
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
  return found ?? beyond?.() ?? [whole];
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
