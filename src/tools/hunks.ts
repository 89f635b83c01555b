import { setImmediate } from 'node:timers/promises';
import type { DisplayContent } from '../base/stream/chunk.ts';
import { KB } from '../base/units.ts';
import { applySpans } from '../runtime/files/splice.ts';
import type { Span } from '../runtime/runtime.ts';
import { cutText } from '../runtime/text.ts';

/** The diff of a new file, or of a whole change, found from its common head and tail. */
export function diffContent(
  path: string,
  oldText: string | undefined,
  newText: string,
): readonly DisplayContent[] {
  if (oldText === undefined) {
    return [{ type: 'diff', path, newText: cutText(newText, HUNK_BYTES), line: 1 }];
  }
  const utf8 = Buffer.from(oldText);
  return hunkContent(path, utf8, [changedSpan(utf8, newText)]);
}

/**
 * Hunks with context around each replaced span, never from comparing the whole file. What is shown
 * is bounded, since ACP lines are limited to 32 MiB.
 */
export function hunkContent(
  path: string,
  utf8: Buffer,
  spans: readonly Span[],
  known: KnownLine = { at: 0, line: 1 },
): readonly DisplayContent[] {
  const groups = groupNear(utf8, spans);
  const lineAt = lineCounter(utf8, known);
  const content: DisplayContent[] = groups.slice(0, HUNK_LIMIT).map(({ from, to, spans: own }) => ({
    type: 'diff',
    path,
    oldText: cutText(utf8.toString('utf8', from, to), HUNK_BYTES),
    newText: cutText(applySpans(utf8, own, from, to), HUNK_BYTES),
    line: lineAt(from),
  }));
  if (groups.length > HUNK_LIMIT) {
    content.push({ type: 'text', text: `… and ${groups.length - HUNK_LIMIT} more places.` });
  }
  return content;
}

/** The one span in which `newText` differs, cut at character borders. */
export function changedSpan(utf8: Buffer, newText: string): Span {
  const next = Buffer.from(newText);
  const shorter = Math.min(utf8.length, next.length);
  let start = commonHead(utf8, next, shorter);
  while (start > 0 && isContinuation(utf8[start], next[start])) start -= 1;
  let tail = 0;
  while (tail < shorter - start && utf8[utf8.length - 1 - tail] === next[next.length - 1 - tail]) {
    tail += 1;
  }
  while (tail > 0 && isContinuation(utf8[utf8.length - tail], undefined)) tail -= 1;
  return {
    start,
    end: utf8.length - tail,
    text: next.toString('utf8', start, next.length - tail),
  };
}

const CONTEXT_LINES = 3;
const HUNK_BYTES = 256 * KB;
const HUNK_LIMIT = 40;
const NEWLINE = 10;

interface Group {
  from: number;
  to: number;
  readonly spans: Span[];
}

function groupNear(utf8: Buffer, spans: readonly Span[]): readonly Group[] {
  const groups: Group[] = [];
  for (const span of spans) {
    const from = contextStart(utf8, span.start);
    const to = contextEnd(utf8, span.end);
    const last = groups.at(-1);
    if (last === undefined || from > last.to) groups.push({ from, to, spans: [span] });
    else {
      last.to = Math.max(last.to, to);
      last.spans.push(span);
    }
  }
  return groups;
}

function contextStart(utf8: Buffer, at: number): number {
  let start = at;
  for (let lines = 0; lines <= CONTEXT_LINES && start > 0; lines += 1) {
    start = utf8.lastIndexOf(NEWLINE, start - 1);
    if (start < 0) return 0;
  }
  return start === 0 ? 0 : start + 1;
}

function contextEnd(utf8: Buffer, at: number): number {
  // A span that ends with its line needs no rest of a line.
  let end = at > 0 && utf8[at - 1] === NEWLINE ? at - 1 : at;
  for (let lines = 0; lines <= CONTEXT_LINES; lines += 1) {
    const next = utf8.indexOf(NEWLINE, end);
    if (next < 0) return utf8.length;
    end = next + 1;
  }
  return end;
}

/** A position whose line is known already, from 1. */
export interface KnownLine {
  readonly at: number;
  readonly line: number;
}

/** Finds the line of a position in a large text, a part at a time: other work goes on meanwhile. */
export async function findLine(utf8: Buffer, at: number): Promise<KnownLine> {
  let line = 1;
  for (let from = 0; from < at; from += COUNT_BYTES) {
    line += countLineEnds(utf8, from, Math.min(at, from + COUNT_BYTES));
    if (from + COUNT_BYTES < at) await setImmediate();
  }
  return { at, line };
}

/** Bytes counted in one go: about a fifth of a millisecond. */
const COUNT_BYTES = 512 * KB;

function countLineEnds(utf8: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = utf8.indexOf(NEWLINE, from); at >= 0 && at < to; ) {
    count += 1;
    at = utf8.indexOf(NEWLINE, at + 1);
  }
  return count;
}

/** Line numbers, from 1, for positions asked in ascending order. */
function lineCounter(utf8: Buffer, known: KnownLine): (at: number) => number {
  let { at: seen, line } = known;
  return (at) => {
    if (at < seen) return line - countLineEnds(utf8, at, seen);
    line += countLineEnds(utf8, seen, at);
    seen = at;
    return line;
  };
}

function commonHead(a: Buffer, b: Buffer, length: number): number {
  // Whole blocks are compared natively; only the block that differs is walked.
  const block = 64 * KB;
  let at = 0;
  while (at + block <= length && a.compare(b, at, at + block, at, at + block) === 0) at += block;
  while (at < length && a[at] === b[at]) at += 1;
  return at;
}

function isContinuation(a: number | undefined, b: number | undefined): boolean {
  return ((a ?? 0) & 0xc0) === 0x80 || ((b ?? 0) & 0xc0) === 0x80;
}
