import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { ReviewedFile, ReviewSummary } from '../base/stream/envelope.ts';
import { FILE_CHANGERS, findLockedTools } from '../base/tools/toolFacts.ts';
import { KB } from '../base/units.ts';
import type { FileReview, ReviewedHunk } from '../diff/fileReview.ts';
import { cutText } from '../runtime/text.ts';

const READERS = findLockedTools(({ access }) => access === 'fs.read');
const FILE_TOOLS = [...READERS, ...FILE_CHANGERS].join(', ');
export const AWAITS_REVIEW = `The change is not on disk yet: the user reviews all changes of this turn together. These tools see it: ${FILE_TOOLS}. Commands do not. You will be told the outcome.`;
export const WRITTEN =
  'The change is on disk, but the user has not reviewed it yet and may undo parts of it. You will be told what was undone.';

/** The review for the model, as part of the envelope and so of the record. */
export function toReviewSummary(review: readonly FileReview[]): ReviewSummary {
  let left = SUMMARY_HUNKS;
  const files = review.map(({ path, outcome, hunks }): ReviewedFile => {
    const told = outcome === 'changed' ? hunks : hunks.filter(({ reason }) => reason !== undefined);
    if (told.length === 0) return { path, outcome };
    const listed = told.slice(0, left);
    left -= listed.length;
    const more = told.length - listed.length;
    return { path, outcome, hunks: listed.map(toEntry), ...(more > 0 && { more_hunks: more }) };
  });
  return { note: NOTE, files };
}

/** Adds a line to the card that summarizes the user's review. */
export function withReview(shown: ToolDisplay, review: readonly FileReview[]): ToolDisplay {
  const hunks = review.flatMap((file) => file.hunks);
  const counts = OUTCOMES.flatMap((outcome) => {
    const count = hunks.filter((hunk) => hunk.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  const text = `Changes after your review: ${counts.join(', ') || 'different files than proposed'}.`;
  return { ...shown, content: [...(shown.content ?? []), { type: 'text', text }] };
}

const NOTE =
  'The user reviewed this proposal and approved something other than you proposed. Rejected parts were not written. Read the changes before you continue.';
const OUTCOMES = ['kept', 'rejected', 'changed', 'added'] as const;
/** The limit over all files; the model can read the rest from disk. */
const SUMMARY_HUNKS = 40;
const TEXT_BYTES = KB;

function toEntry({ line, outcome, newText, approvedText, reason }: ReviewedHunk) {
  const declined = outcome === 'rejected' || outcome === 'changed';
  return {
    ...{ line, outcome },
    ...(approvedText !== undefined && { approved_text: shorten(approvedText) }),
    ...(declined && { proposed_text: shorten(newText) }),
    ...(reason !== undefined && { reason: shorten(reason) }),
  };
}

function shorten(whole: string): string {
  const text = cutText(whole, TEXT_BYTES);
  return text === whole ? text : `${text}\n…`;
}
