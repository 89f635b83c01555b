import { commonEnds } from './commonEnds.ts';

/**
 * Replaces `[start, end)` of a string with `text`. Spans are in order and don't overlap. Offsets are
 * bytes of the UTF-8 text, or UTF-16 units in functions that take strings.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The single byte span in which `newText` differs. Never splits a character or a CRLF. */
export function changedSpan(utf8: Buffer, newText: string): Span {
  const next = Buffer.from(newText);
  const { head, tail } = commonEnds(
    utf8.length,
    next.length,
    (before, after, count) =>
      utf8.compare(next, after, after + count, before, before + count) === 0,
  );
  let start = head;
  while (start > 0 && (splitsBytes(utf8, start) || splitsBytes(next, start))) start -= 1;
  let kept = tail;
  while (
    kept > 0 &&
    (splitsBytes(utf8, utf8.length - kept) || splitsBytes(next, next.length - kept))
  )
    kept -= 1;
  const text = next.toString('utf8', start, next.length - kept);
  return { start, end: utf8.length - kept, text };
}

/** The same for strings: offsets are UTF-16 units, and no surrogate pair is split. */
export function changedTextSpan(before: string, after: string): Span {
  const { head, tail } = commonEnds(
    before.length,
    after.length,
    (from, to, count) => before.slice(from, from + count) === after.slice(to, to + count),
  );
  const start = splitsText(before, head) || splitsText(after, head) ? head - 1 : head;
  const split = splitsText(before, before.length - tail) || splitsText(after, after.length - tail);
  const kept = split ? tail - 1 : tail;
  return { start, end: before.length - kept, text: after.slice(start, after.length - kept) };
}

/** The text of the bytes `[from, to)` with the spans applied. */
export function applySpans(
  utf8: Buffer,
  spans: readonly Span[],
  from = 0,
  to = utf8.length,
): string {
  let text = '';
  let at = from;
  for (const span of spans) {
    text += utf8.toString('utf8', at, span.start) + span.text;
    at = span.end;
  }
  return text + utf8.toString('utf8', at, to);
}

function splitsBytes(bytes: Buffer, at: number): boolean {
  const next = bytes[at];
  if (next === undefined) return false;
  // Continuation bytes have the form 10xxxxxx.
  return (next & 0xc0) === 0x80 || (next === 10 && bytes[at - 1] === 13);
}

function splitsText(text: string, at: number): boolean {
  return /^(?:\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
