import { applyHunks, findHunks, type Hunk, reverseHunks } from './hunks.ts';
import { toLineFeeds } from './lineEnds.ts';
import { findLineHunks, type LineHunk } from './lineHunks.ts';
import { mergeTexts } from './merge.ts';

/** A file before and after the changes that the user has not reviewed. */
export interface FileVersions {
  /** Absent: there was no file. */
  readonly before?: string;
  /** Absent: the file was deleted. */
  readonly after?: string;
}

/**
 * The unreviewed hunks of a file, in order; a reference to one is its index. A file that was created
 * or deleted is one hunk.
 */
export function findUnreviewed({ before, after }: FileVersions): readonly Hunk[] {
  if (before !== undefined && after !== undefined) return findHunks(before, after);
  if (before === after) return [];
  const start = { oldStart: 0, oldLine: 1, newStart: 0, newLine: 1 };
  return [{ ...start, oldText: before ?? '', newText: after ?? '' }];
}

/**
 * Adds a later change to the unreviewed ones. What others changed in between moves into `before`, so
 * that undoing a hunk never removes it; a hunk whose lines they changed counts as theirs from now on.
 */
export function addChange(known: FileVersions | undefined, change: FileVersions): FileVersions {
  const before = known === undefined ? change.before : rebase(known, change.before);
  return toVersions(before, change.after);
}

function rebase({ before, after }: FileVersions, now: string | undefined): string | undefined {
  if (now === after) return before;
  if (before === undefined || after === undefined || now === undefined) return now;
  return mergeTexts(after, before, now).text;
}

/** The versions once these hunks are reviewed: they are part of `before`. */
export function keepHunks(versions: FileVersions, kept: ReadonlySet<number>): FileVersions {
  const { before, after } = versions;
  const hunks = findUnreviewed(versions);
  if (hunks.every((_, at) => kept.has(at))) return toVersions(after, after);
  const text = applyHunks(
    before ?? '',
    hunks.filter((_, at) => kept.has(at)),
  );
  return toVersions(kept.size === 0 ? before : text, after);
}

/** A file without some hunks. */
export type Undone =
  | {
      /** What remains to be reviewed. */
      readonly left: FileVersions;
      /** The file's new text; absent: the file is to be deleted, or stays deleted. */
      readonly text?: string;
    }
  | 'conflict';

/**
 * Takes hunks out of the file as it is `now`, by a three-way merge. It is a conflict when the lines
 * were changed since, so no text of the user is lost.
 */
export function undoHunks(
  versions: FileVersions,
  undone: ReadonlySet<number>,
  now: string | undefined,
): Undone {
  const { before, after } = versions;
  const hunks = findUnreviewed(versions);
  const whole = hunks.every((_, at) => undone.has(at));
  const text = whole ? before : withoutHunks(after ?? '', hunks, undone);
  const left = toVersions(before, undone.size === 0 ? after : text);
  if (now === after) return { left, ...(left.after !== undefined && { text: left.after }) };
  if (now === text) return { left, ...(now !== undefined && { text: now }) };
  if (now === undefined || text === undefined || after === undefined) return 'conflict';
  const merged = mergeTexts(after, now, text);
  return merged.conflicts.length > 0 ? 'conflict' : { left, text: merged.text };
}

function withoutHunks(
  after: string,
  hunks: readonly Hunk[],
  undone: ReadonlySet<number>,
): string | undefined {
  return applyHunks(
    after,
    reverseHunks(hunks).filter((_, at) => undone.has(at)),
  );
}

/**
 * `pending`: it is in the file unchanged; `edited`: its lines were changed since; `gone`: the lines are
 * again as before the hunk.
 */
export type HunkState = 'pending' | 'edited' | 'gone';

/** Where an unreviewed hunk is in the file as it is now. */
export interface LocatedHunk {
  readonly index: number;
  readonly state: HunkState;
  /** The first line, 1-based. Without lines, the hunk removed lines before this one. */
  readonly line: number;
  readonly count: number;
  readonly hunk: Hunk;
}

/** Finds the unreviewed hunks in the present text. Differences in line ends don't count. */
export function locateHunks(versions: FileVersions, now: string): readonly LocatedHunk[] {
  const after = versions.after ?? '';
  const theirs = findLineHunks(after, now);
  return findUnreviewed(versions).map((hunk, index) => locate(hunk, index, theirs, now));
}

function locate(hunk: Hunk, index: number, theirs: readonly LineHunk[], now: string): LocatedHunk {
  const own = { from: hunk.newLine, to: hunk.newLine + countLines(hunk.newText) };
  let { from, to } = own;
  const touching = theirs.filter(({ oldLine, oldCount, newCount }) => {
    const end = oldLine + oldCount;
    const inserts = own.from === own.to || oldCount === 0 || newCount === 0;
    return inserts ? oldLine <= own.to && own.from <= end : oldLine < own.to && own.from < end;
  });
  const earlier = theirs.filter((each) => each.oldLine < from && !touching.includes(each));
  const shift = earlier.reduce((sum, { oldCount, newCount }) => sum + newCount - oldCount, 0);
  let grown = 0;
  for (const { oldLine, oldCount, newCount } of touching) {
    from = Math.min(from, oldLine);
    to = Math.max(to, oldLine + oldCount);
    grown += newCount - oldCount;
  }
  const location = { index, hunk, line: from + shift, count: Math.max(0, to - from + grown) };
  if (touching.length === 0) return { ...location, state: 'pending' };
  const isExact = from === own.from && to === own.to;
  const lines = toLineFeeds(now)
    .split(/(?<=\n)/)
    .slice(location.line - 1, location.line - 1 + location.count);
  const gone = isExact && lines.join('') === toLineFeeds(hunk.oldText);
  return { ...location, state: gone ? 'gone' : 'edited' };
}

function countLines(text: string): number {
  if (text === '') return 0;
  return toLineFeeds(text).split(/(?<=\n)/).length;
}

function toVersions(before: string | undefined, after: string | undefined): FileVersions {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
