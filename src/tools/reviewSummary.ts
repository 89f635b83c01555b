import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { ReviewedFile, ReviewSummary } from '../base/stream/envelope.ts';
import { KB } from '../base/units.ts';
import type { FileReview, ReviewedHunk } from '../diff/fileReview.ts';
import { cutText } from '../runtime/text.ts';

/** What the model is told of a review; it goes into the envelope, and so into the record. */
export function toReviewSummary(review: readonly FileReview[]): ReviewSummary {
  let left = SUMMARY_HUNKS;
  const files = review.map(({ path, outcome, hunks }): ReviewedFile => {
    if (outcome !== 'changed') return { path, outcome };
    const listed = hunks.slice(0, left);
    left -= listed.length;
    const more = hunks.length - listed.length;
    return { path, outcome, hunks: listed.map(toEntry), ...(more > 0 && { more_hunks: more }) };
  });
  return { note: NOTE, files };
}

/** A card says in one line what the user made of the proposal. */
export function withReview(shown: ToolDisplay, review: readonly FileReview[]): ToolDisplay {
  const hunks = review.flatMap((file) => file.hunks);
  const counts = OUTCOMES.flatMap((outcome) => {
    const count = hunks.filter((hunk) => hunk.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  const text = `Changes after your review: ${counts.join(', ') || 'other files than proposed'}.`;
  return { ...shown, content: [...(shown.content ?? []), { type: 'text', text }] };
}

const NOTE =
  'The user reviewed this proposal and approved something else than you proposed. Rejected parts were not written. Read what changed before you go on.';
const OUTCOMES = ['kept', 'rejected', 'changed', 'added'] as const;
/** Over all files: what the model needs is in the files. */
const SUMMARY_HUNKS = 40;
const TEXT_BYTES = KB;

function toEntry({ line, outcome, approvedText }: ReviewedHunk) {
  if (approvedText === undefined) return { line, outcome };
  const text = cutText(approvedText, TEXT_BYTES);
  return { line, outcome, approved_text: text === approvedText ? text : `${text}\n…` };
}
