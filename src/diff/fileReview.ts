import type { FileChange, HunkReason } from './fileChange.ts';
import { findHunks, type Hunk } from './hunks.ts';
import { matchKept } from './matchKept.ts';

/** The result of reviewing one file of a proposal. */
export interface FileReview {
  readonly path: string;
  readonly outcome: 'approved' | 'changed' | 'rejected';
  /** In the order of the old text. Empty when nothing changes and for a new empty file. */
  readonly hunks: readonly ReviewedHunk[];
}

export interface ReviewedHunk {
  /** `added`: the user changed a part of the file that the proposal did not. */
  readonly outcome: 'kept' | 'rejected' | 'changed' | 'added';
  /** The hunk's first line in the old text, 1-based. */
  readonly line: number;
  readonly oldText: string;
  /** The proposed text; for `added` the same as the old text. */
  readonly newText: string;
  /** What the user wrote instead; absent when the text of an earlier hunk includes it. */
  readonly approvedText?: string;
  /** Why the user rejected or changed it. */
  readonly reason?: string;
}

/**
 * Compares a proposal with the approved text. `undefined`: the file was excluded, so nothing is
 * approved; null: its deletion was approved.
 */
export function reviewFile(change: FileChange, approved: string | null | undefined): FileReview {
  const { path, oldText = '', newText } = change;
  const proposed = findHunks(oldText, newText ?? '');
  if (approved === undefined) {
    return {
      path,
      outcome: 'rejected',
      hunks: proposed.map((hunk) => toReviewed(hunk, 'rejected')),
    };
  }
  if (approved === (newText ?? null)) {
    return { path, outcome: 'approved', hunks: proposed.map((hunk) => toReviewed(hunk, 'kept')) };
  }
  const hunks = reviewHunks(oldText, proposed, approved ?? '');
  const rejected = change.oldText === approved;
  return { path, outcome: rejected ? 'rejected' : 'changed', hunks };
}

/** Adds the user's reasons to the hunks that were not kept, by their first lines. */
export function withReasons(review: FileReview, reasons: readonly HunkReason[]): FileReview {
  const own = reasons.filter(({ path }) => path === review.path);
  if (own.length === 0) return review;
  const hunks = review.hunks.map((hunk): ReviewedHunk => {
    if (hunk.outcome === 'kept' || hunk.outcome === 'added') return hunk;
    const given = own.filter(({ line }) => isOn(hunk, line)).map(({ reason }) => reason);
    return given.length === 0 ? hunk : { ...hunk, reason: given.join(' ') };
  });
  return { ...review, hunks };
}

/** The client may split or join hunks differently; a hunk's lines tell which one is meant. */
function isOn({ line, oldText }: ReviewedHunk, at: number): boolean {
  const count = oldText.split('\n').length - (oldText.endsWith('\n') ? 1 : 0);
  return line <= at && at < line + Math.max(count, 1);
}

function reviewHunks(
  oldText: string,
  proposed: readonly Hunk[],
  approved: string,
): readonly ReviewedHunk[] {
  const kept = matchKept(oldText, proposed, approved);
  if (kept) {
    return proposed.map((hunk, at) => toReviewed(hunk, kept[at] ? 'kept' : 'rejected'));
  }
  const open = [...findHunks(oldText, approved)];
  const reviewed = proposed.map((hunk): ReviewedHunk => {
    const same = open.findIndex((other) => isSame(hunk, other));
    if (same >= 0) {
      open.splice(same, 1);
      return toReviewed(hunk, 'kept');
    }
    return toReviewed(hunk, 'rejected');
  });
  return withChanges(proposed, reviewed, open);
}

/** Adds the user's own hunks: each belongs to the first proposed hunk it touches, or to none. */
function withChanges(
  proposed: readonly Hunk[],
  reviewed: readonly ReviewedHunk[],
  own: readonly Hunk[],
): readonly ReviewedHunk[] {
  const texts = new Map<number, string[]>();
  const touched = new Set<number>();
  const added: ReviewedHunk[] = [];
  for (const hunk of own) {
    const hits = [...proposed.keys()].filter((at) => {
      const other = proposed[at];
      return reviewed[at]?.outcome !== 'kept' && other !== undefined && touches(other, hunk);
    });
    const [first] = hits;
    for (const at of hits) touched.add(at);
    if (first === undefined) added.push(toAdded(hunk));
    else texts.set(first, [...(texts.get(first) ?? []), hunk.newText]);
  }
  const changed = reviewed.map((hunk, at): ReviewedHunk => {
    if (!touched.has(at)) return hunk;
    const text = texts.get(at)?.join('');
    return { ...hunk, outcome: 'changed', ...(text !== undefined && { approvedText: text }) };
  });
  return [...changed, ...added].sort((a, b) => a.line - b.line);
}

function toReviewed(
  { oldLine, oldText, newText }: Hunk,
  outcome: 'kept' | 'rejected',
): ReviewedHunk {
  return { outcome, line: oldLine, oldText, newText };
}

function toAdded({ oldLine, oldText, newText }: Hunk): ReviewedHunk {
  return { outcome: 'added', line: oldLine, oldText, newText: oldText, approvedText: newText };
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.oldStart === b.oldStart && a.oldText === b.oldText && a.newText === b.newText;
}

/** An insertion has no range to overlap with, so adjacent hunks count as touching it. */
function touches(a: Hunk, b: Hunk): boolean {
  const [aEnd, bEnd] = [a.oldStart + a.oldText.length, b.oldStart + b.oldText.length];
  if (a.oldText === '' || b.oldText === '') return a.oldStart <= bEnd && b.oldStart <= aEnd;
  return a.oldStart < bEnd && b.oldStart < aEnd;
}
