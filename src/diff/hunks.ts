import { countLineEnds } from './context.ts';
import { compareLines, findLineEnd, type LineChange, splitLines } from './lines.ts';
import { changedTextSpan } from './span.ts';

/**
 * Replaces whole lines with whole lines, including their exact line ends. Offsets are UTF-16 units;
 * lines are 1-based. A pure insertion goes before `oldLine`.
 */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLine: number;
  readonly oldText: string;
  readonly newStart: number;
  readonly newLine: number;
  readonly newText: string;
}

/**
 * The hunks that turn one text into the other, in order and without overlaps. Takes linear time:
 * where the lines differ too much, the result is a single hunk.
 */
export function findHunks(oldText: string, newText: string): readonly Hunk[] {
  if (oldText === newText) return [];
  const lineEnd = findLineEnd(oldText, newText);
  const { start, end } = changedTextSpan(oldText, newText);
  // Only the lines between the common head and tail are compared.
  const from = start === 0 ? 0 : oldText.lastIndexOf(lineEnd, start - 1) + 1;
  const tail = wholeLines(oldText, newText, oldText.length - end, lineEnd);
  const [oldPart, newPart] = [
    oldText.slice(from, oldText.length - tail),
    newText.slice(from, newText.length - tail),
  ];
  const line = countLineEnds(oldText, 0, from, lineEnd) + 1;
  if (countLines(oldPart, lineEnd) + countLines(newPart, lineEnd) > MAX_LINES) {
    const starts = { oldStart: from, oldLine: line, newStart: from, newLine: line };
    return [{ ...starts, oldText: oldPart, newText: newPart }];
  }
  const before = splitLines(oldPart, lineEnd);
  const after = splitLines(newPart, lineEnd);
  return toHunks(compareLines(before, after), before, after, { offset: from, line });
}

/**
 * Lines of both texts between the first difference and the last one. Splitting more of them would
 * block its thread; they are one hunk.
 */
const MAX_LINES = 1_000_000;

function countLines(text: string, lineEnd: '\n' | '\r'): number {
  return countLineEnds(text, 0, text.length, lineEnd);
}

/** Applies the hunks; undefined when one of them doesn't match the text. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  const parts: string[] = [];
  let at = 0;
  for (const { oldStart, oldText, newText } of hunks) {
    if (oldStart < at || !text.startsWith(oldText, oldStart)) return undefined;
    if (oldStart > text.length) return undefined;
    parts.push(text.slice(at, oldStart), newText);
    at = oldStart + oldText.length;
  }
  return [...parts, text.slice(at)].join('');
}

/** The hunks that turn the new text back into the old one. */
export function reverseHunks(hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map((hunk) => ({
    ...{ oldStart: hunk.newStart, oldLine: hunk.newLine, oldText: hunk.newText },
    ...{ newStart: hunk.oldStart, newLine: hunk.oldLine, newText: hunk.oldText },
  }));
}

/** A change split in two: `kept` applies to the old text, `left` to the result of `kept`. */
export interface KeptHunks {
  readonly kept: readonly Hunk[];
  readonly left: readonly Hunk[];
}

/** Splits a change into two consecutive changes, each with its own offsets. */
export function keepHunks(
  hunks: readonly Hunk[],
  keep: (hunk: Hunk, index: number) => boolean,
): KeptHunks {
  const kept: Hunk[] = [];
  const left: Hunk[] = [];
  // The offset by which the kept hunks so far shift what follows.
  let [units, lines] = [0, 0];
  for (const [index, hunk] of hunks.entries()) {
    const start = hunk.oldStart + units;
    const line = hunk.oldLine + lines;
    if (!keep(hunk, index)) {
      left.push({ ...hunk, oldStart: start, oldLine: line });
      continue;
    }
    kept.push({ ...hunk, newStart: start, newLine: line });
    units += hunk.newText.length - hunk.oldText.length;
    lines += addedLines(hunk, hunks[index + 1]);
  }
  return { kept, left };
}

/** Nothing follows the last hunk, so it shifts nothing. */
function addedLines(hunk: Hunk, next: Hunk | undefined): number {
  if (next === undefined) return 0;
  return next.newLine - next.oldLine - (hunk.newLine - hunk.oldLine);
}

/** The part of the common tail that is whole lines in both texts. */
function wholeLines(before: string, after: string, tail: number, lineEnd: string): number {
  const starts = (text: string) => tail === text.length || text[text.length - tail - 1] === lineEnd;
  if (tail === 0 || (starts(before) && starts(after))) return tail;
  const next = before.indexOf(lineEnd, before.length - tail);
  return next < 0 ? 0 : before.length - next - 1;
}

function toHunks(
  changes: readonly LineChange[],
  before: readonly string[],
  after: readonly string[],
  from: { readonly offset: number; readonly line: number },
): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  let [oldStart, newStart] = [from.offset, from.offset];
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    oldStart += getLength(before, oldAt, oldFrom);
    newStart += getLength(after, newAt, newFrom);
    const oldText = before.slice(oldFrom, oldTo).join('');
    const newText = after.slice(newFrom, newTo).join('');
    const oldLine = from.line + oldFrom;
    const newLine = from.line + newFrom;
    hunks.push({ oldStart, oldLine, oldText, newStart, newLine, newText });
    oldStart += oldText.length;
    newStart += newText.length;
    [oldAt, newAt] = [oldTo, newTo];
  }
  return hunks;
}

function getLength(lines: readonly string[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) length += lines[at]?.length ?? 0;
  return length;
}
