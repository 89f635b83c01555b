import { findHunks } from './hunks.ts';

type AnyLineEnd = '\n' | '\r\n' | '\r';

/** The text with LF line ends, as two sides of a review are compared. */
export function toLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The first line end of the texts that have one; LF if none does. */
export function findFirstLineEnd(...texts: readonly string[]): AnyLineEnd {
  for (const text of texts) {
    const [end] = /\r\n|\r|\n/.exec(text) ?? [];
    if (end !== undefined) return end === '\n' || end === '\r' ? end : '\r\n';
  }
  return '\n';
}

/** Whether the texts differ only in their line ends, or not at all. */
export function isSameText(one: string, other: string): boolean {
  return one === other || toLineFeeds(one) === toLineFeeds(other);
}

/**
 * An editor shows all lines of a document with one line end. This returns the edited text with the
 * line ends that `exact` has: lines that were not edited keep theirs, and edited or added lines get
 * that of the line they replace or follow. `fallback` is for a text without line ends.
 */
export function restoreLineEnds(
  exact: string,
  edited: string,
  fallback: AnyLineEnd = '\n',
): string {
  const before = toLineFeeds(exact);
  const after = toLineFeeds(edited);
  if (before === after) return exact;
  const ends = listLineEnds(exact);
  const [first = fallback] = ends;
  if (ends.every((each) => each === first)) return withLineEnd(after, first);
  return spliceLines(exact, before, after, ends);
}

function spliceLines(
  exact: string,
  before: string,
  after: string,
  ends: readonly AnyLineEnd[],
): string {
  const lines = exact.split(/(?<=\n|\r(?!\n))/);
  const parts: string[] = [];
  let at = 0;
  for (const { oldLine, oldText, newText } of findHunks(before, after)) {
    const from = oldLine - 1;
    parts.push(...lines.slice(at, from));
    at = from + countLines(oldText);
    for (const [index, line] of newText.split(/(?<=\n)/).entries()) {
      const own = Math.max(0, Math.min(from + index, at - 1, ends.length - 1));
      parts.push(withLineEnd(line, ends[own] ?? '\n'));
    }
  }
  return joinLines([...parts, ...lines.slice(at)]);
}

/** A line that ends with CR and an empty one that ends with LF would become a single line. */
function joinLines(lines: readonly string[]): string {
  const joined: string[] = [];
  for (const line of lines.filter((each) => each !== '').reverse()) {
    const clashes = line.endsWith('\r') && joined.at(-1)?.startsWith('\n');
    joined.push(clashes ? `${line.slice(0, -1)}\n` : line);
  }
  return joined.reverse().join('');
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split(/(?<=\n)/).length;
}

function listLineEnds(text: string): readonly AnyLineEnd[] {
  const ends: AnyLineEnd[] = [];
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) {
    ends.push(end === '\n' || end === '\r' ? end : '\r\n');
  }
  return ends;
}

function withLineEnd(text: string, lineEnd: AnyLineEnd): string {
  return lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd);
}
