import { setImmediate } from 'node:timers/promises';
import type { DisplayContent } from '../base/stream/chunk.ts';
import { KB } from '../base/units.ts';
import { countLineEnds, groupSpans } from '../diff/context.ts';
import { applySpans, changedSpan, type Span } from '../diff/span.ts';
import { cutText } from '../runtime/text.ts';

/** The diff of a new file, of a deleted one (no `newText`), or of a whole change, found from its common head and tail. */
export function diffContent(
  path: string,
  oldText: string | undefined,
  newText: string | undefined,
): readonly DisplayContent[] {
  if (newText === undefined) {
    const shown = cutText(oldText ?? '', HUNK_BYTES);
    return [{ type: 'diff', path, oldText: shown, newText: '', deleted: true, line: 1 }];
  }
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
  const groups = groupSpans(utf8, spans, CONTEXT_LINES);
  const lineAt = lineCounter(utf8, known);
  const content: DisplayContent[] = groups.slice(0, HUNK_LIMIT).map(({ from, to, spans: own }) => ({
    type: 'diff',
    path,
    oldText: cutText(utf8.toString('utf8', from, to), HUNK_BYTES),
    newText: cutText(applySpans(utf8, own, from, to), HUNK_BYTES),
    line: lineAt(from),
  }));
  if (groups.length > HUNK_LIMIT) {
    content.push({ type: 'text', text: `… and ${groups.length - HUNK_LIMIT} more changes.` });
  }
  return content;
}

const CONTEXT_LINES = 3;
const HUNK_BYTES = 256 * KB;
const HUNK_LIMIT = 40;
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
