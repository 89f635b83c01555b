import { setImmediate } from 'node:timers/promises';
import type { DisplayContent } from '../base/stream/chunk.ts';
import { KB } from '../base/units.ts';
import { countLineEnds, groupSpans } from '../diff/context.ts';
import { applySpans, changedSpan, type Span } from '../diff/span.ts';
import { cutText } from '../runtime/text.ts';

/** The diff of a created, deleted (no `newText`) or changed file. A change is found by its common prefix and suffix. */
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

/** A text that is shown as a document of its own. */
export function documentContent(path: string, text: string): readonly DisplayContent[] {
  return [{ type: 'diff', path, newText: cutText(text, HUNK_BYTES), document: true }];
}

/**
 * Builds hunks with context around each replaced span, without comparing the whole file. The content
 * is bounded, because ACP lines are limited to 32 MiB.
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
/** A byte position and its line, from 1. */
export interface KnownLine {
  readonly at: number;
  readonly line: number;
}

/** Finds the line of a position in a large text, in parts, so that the event loop stays responsive. */
export async function findLine(utf8: Buffer, at: number): Promise<KnownLine> {
  let line = 1;
  for (let from = 0; from < at; from += COUNT_BYTES) {
    line += countLineEnds(utf8, from, Math.min(at, from + COUNT_BYTES));
    if (from + COUNT_BYTES < at) await setImmediate();
  }
  return { at, line };
}

/** Bytes counted per part: about a fifth of a millisecond. */
const COUNT_BYTES = 512 * KB;

/** Returns line numbers, from 1, for positions queried in ascending order. */
function lineCounter(utf8: Buffer, known: KnownLine): (at: number) => number {
  let { at: seen, line } = known;
  return (at) => {
    if (at < seen) return line - countLineEnds(utf8, at, seen);
    line += countLineEnds(utf8, seen, at);
    seen = at;
    return line;
  };
}
