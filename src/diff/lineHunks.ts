import { findHunks } from './hunks.ts';
import { toLineFeeds } from './lineEnds.ts';

/**
 * A changed part as an editor shows it: whole lines, with LF line ends. Lines are 1-based. Without
 * new lines, the old ones were removed before `newLine`.
 */
export interface LineHunk {
  readonly oldLine: number;
  readonly oldCount: number;
  readonly oldText: string;
  readonly newLine: number;
  readonly newCount: number;
  readonly newText: string;
}

/** The changed lines between two texts. A difference in line ends only is no change here. */
export function findLineHunks(oldText: string, newText: string): readonly LineHunk[] {
  return findHunks(toLineFeeds(oldText), toLineFeeds(newText)).map((hunk) => ({
    ...{ oldLine: hunk.oldLine, oldText: hunk.oldText, oldCount: toLines(hunk.oldText).length },
    ...{ newLine: hunk.newLine, newText: hunk.newText, newCount: toLines(hunk.newText).length },
  }));
}

/** A range of lines, 1-based; `to` is excluded. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Which lines of a review are selected. Only the lines of one side are. */
export interface SelectedLines {
  readonly side: 'old' | 'new';
  readonly range: LineRange;
}

/**
 * The text of a hunk when only some of its lines are changed. Old and new lines are paired in order;
 * the last pair has what is left over when old lines outnumber new ones. `isKept` is called for each pair.
 */
export function keepLines(hunk: LineHunk, isKept: (pair: LinePair) => boolean): string {
  const parts = pairLines(hunk)
    .map((pair) => (isKept(pair) ? pair.newText : pair.oldText))
    .filter((part) => part !== '');
  // A file's last line may have no line end, and must not be joined with a line that now follows.
  return parts
    .map((part, at) => (at < parts.length - 1 && !part.endsWith('\n') ? `${part}\n` : part))
    .join('');
}

/** Lines of a hunk that are kept or rejected together. */
export interface LinePair {
  readonly old: LineRange;
  readonly oldText: string;
  readonly new: LineRange;
  readonly newText: string;
}

export function isSelected(pair: LinePair, { side, range }: SelectedLines): boolean {
  const { from, to } = pair[side];
  // Removed lines have no line on the other side: the line before which they stood counts.
  return from === to ? range.from <= from && from <= range.to : from < range.to && range.from < to;
}

function pairLines(hunk: LineHunk): readonly LinePair[] {
  const before = toLines(hunk.oldText);
  const after = toLines(hunk.newText);
  const count = Math.max(after.length, 1);
  return Array.from({ length: count }, (_, at): LinePair => {
    const last = at === count - 1;
    const oldTo = last ? before.length : Math.min(at + 1, before.length);
    const oldFrom = Math.min(at, before.length);
    const newTo = Math.min(at + 1, after.length);
    return {
      old: { from: hunk.oldLine + oldFrom, to: hunk.oldLine + oldTo },
      oldText: before.slice(oldFrom, oldTo).join(''),
      new: { from: hunk.newLine + Math.min(at, after.length), to: hunk.newLine + newTo },
      newText: after[at] ?? '',
    };
  });
}

function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
