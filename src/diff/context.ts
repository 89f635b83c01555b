import { changedTextSpan, type Span } from './span.ts';

/** A string, or UTF-8 bytes; offsets are in the text's own units. */
type Text = string | Buffer;

/** Neighboring spans with their context: `[from, to)` covers whole lines. */
export interface SpanGroup {
  readonly from: number;
  readonly to: number;
  readonly spans: readonly Span[];
}

/** Groups spans whose context lines touch or overlap. */
export function groupSpans(
  text: Text,
  spans: readonly Span[],
  contextLines: number,
): readonly SpanGroup[] {
  const groups: { from: number; to: number; readonly spans: Span[] }[] = [];
  for (const span of spans) {
    const from = contextStart(text, span.start, contextLines);
    const to = contextEnd(text, span.end, contextLines);
    const last = groups.at(-1);
    if (last === undefined || from > last.to) groups.push({ from, to, spans: [span] });
    else {
      last.to = Math.max(last.to, to);
      last.spans.push(span);
    }
  }
  return groups;
}

/** The difference between two texts, in whole lines with context. */
export interface ChangedWindow {
  readonly oldText: string;
  readonly newText: string;
  /** The window's first line in the old text, 1-based. */
  readonly line: number;
}

/** A single window around all differences: cheap for texts too large to send whole. */
export function changedWindow(
  oldText: string,
  newText: string,
  contextLines: number,
): ChangedWindow {
  const span = changedTextSpan(oldText, newText);
  const from = contextStart(oldText, span.start, contextLines);
  const to = contextEnd(oldText, span.end, contextLines);
  return {
    oldText: oldText.slice(from, to),
    newText: newText.slice(from, newText.length - (oldText.length - to)),
    line: countLineEnds(oldText, 0, from) + 1,
  };
}

/** The number of line ends in `[from, to)`. */
export function countLineEnds(
  text: Text,
  from: number,
  to: number,
  lineEnd: '\n' | '\r' = '\n',
): number {
  let count = 0;
  for (let at = find(text, from, lineEnd); at >= 0 && at < to; at = find(text, at + 1, lineEnd)) {
    count += 1;
  }
  return count;
}

function contextStart(text: Text, at: number, lines: number): number {
  let start = at;
  for (let passed = 0; passed <= lines && start > 0; passed += 1) {
    start =
      typeof text === 'string'
        ? text.lastIndexOf('\n', start - 1)
        : text.lastIndexOf(10, start - 1);
    if (start < 0) return 0;
  }
  return start === 0 ? 0 : start + 1;
}

function contextEnd(text: Text, at: number, lines: number): number {
  // A span that ends at a line end needs no more of that line.
  let end = at > 0 && isLineEnd(text, at - 1) ? at - 1 : at;
  for (let passed = 0; passed <= lines; passed += 1) {
    const next = find(text, end, '\n');
    if (next < 0) return text.length;
    end = next + 1;
  }
  return end;
}

function isLineEnd(text: Text, at: number): boolean {
  return typeof text === 'string' ? text[at] === '\n' : text[at] === 10;
}

/** Searching bytes for a number is much faster than for a string. */
function find(text: Text, from: number, lineEnd: '\n' | '\r'): number {
  if (typeof text === 'string') return text.indexOf(lineEnd, from);
  return text.indexOf(lineEnd === '\n' ? 10 : 13, from);
}
