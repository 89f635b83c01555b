import { findHunks, type Hunk } from './hunks.ts';

/** Two changes of one text in one. */
export interface Merge {
  /** The base with both changes; where they conflict, the lines of `theirs`. */
  readonly text: string;
  /** The parts that both changed, differently. Empty: nothing of either change is lost. */
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeConflict {
  /** The first line in the base, 1-based. */
  readonly line: number;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * Merges line by line: a part that only one side changed gets that change, and one that both changed
 * alike gets it once. Changes that touch are a conflict only if one of them inserts.
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merge {
  if (ours === base || ours === theirs) return { text: theirs, conflicts: [] };
  if (theirs === base) return { text: ours, conflicts: [] };
  const parts: string[] = [];
  const conflicts: MergeConflict[] = [];
  let at = 0;
  for (const { ours: mine, theirs: other } of groupHunks(
    findHunks(base, ours),
    findHunks(base, theirs),
  )) {
    const all = [...mine, ...other];
    const start = Math.min(...all.map(({ oldStart }) => oldStart));
    const end = Math.max(...all.map(getEnd));
    const texts = {
      ours: applyTo(base, mine, start, end),
      theirs: applyTo(base, other, start, end),
    };
    const same = texts.ours === texts.theirs;
    parts.push(base.slice(at, start), other.length > 0 ? texts.theirs : texts.ours);
    if (mine.length > 0 && other.length > 0 && !same) {
      conflicts.push({ line: Math.min(...all.map(({ oldLine }) => oldLine)), ...texts });
    }
    at = end;
  }
  return { text: [...parts, base.slice(at)].join(''), conflicts };
}

interface HunkGroup {
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
}

/** Groups the hunks of both sides that overlap, in the order of the base. */
function groupHunks(ours: readonly Hunk[], theirs: readonly Hunk[]): readonly HunkGroup[] {
  const all = [
    ...ours.map((hunk) => ({ hunk, side: 'ours' as const })),
    ...theirs.map((hunk) => ({ hunk, side: 'theirs' as const })),
  ].sort((a, b) => a.hunk.oldStart - b.hunk.oldStart || getEnd(a.hunk) - getEnd(b.hunk));
  const groups: { ours: Hunk[]; theirs: Hunk[]; end: number; inserts: boolean }[] = [];
  for (const { hunk, side } of all) {
    const last = groups.at(-1);
    const inserts = hunk.oldText === '';
    // An insertion has no range to overlap with, so one at the edge of a change belongs to it.
    const joins =
      last !== undefined &&
      (hunk.oldStart < last.end || (hunk.oldStart === last.end && (inserts || last.inserts)));
    if (joins) {
      last[side].push(hunk);
      last.end = Math.max(last.end, getEnd(hunk));
      last.inserts ||= inserts;
    } else {
      const first = {
        ours: side === 'ours' ? [hunk] : [],
        theirs: side === 'theirs' ? [hunk] : [],
      };
      groups.push({ ...first, end: getEnd(hunk), inserts });
    }
  }
  return groups;
}

function applyTo(base: string, hunks: readonly Hunk[], start: number, end: number): string {
  let text = '';
  let at = start;
  for (const hunk of hunks) {
    text += base.slice(at, hunk.oldStart) + hunk.newText;
    at = getEnd(hunk);
  }
  return text + base.slice(at, end);
}

function getEnd({ oldStart, oldText }: Hunk): number {
  return oldStart + oldText.length;
}
