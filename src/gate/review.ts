import { failure, type Outcome, success } from '../base/outcome.ts';
import { MB } from '../base/units.ts';
import type { ApprovedFile, FileChange, HunkReason } from '../diff/fileChange.ts';
import { type FileReview, reviewFile, withReasons } from '../diff/fileReview.ts';
import { changedTextSpan } from '../diff/span.ts';
import type { Preview, ProposedEntry } from './preview.ts';
import { findBrokenText } from './validate.ts';

/** What may be written, and the user's review of the proposal. */
export interface Reviewed {
  /** The proposal with the approved texts, without rejected files. */
  readonly approved: Preview;
  /** Every proposed file, in order. Absent when everything was approved as proposed. */
  readonly review?: readonly FileReview[];
}

/**
 * Compares the answer with the proposal. Without `approved`, everything is approved as proposed. Fails
 * when the answer does not match the proposal; nothing may be written then.
 */
export function reviewProposal(
  preview: Preview,
  approved: readonly ApprovedFile[] | undefined,
  reasons: readonly HunkReason[] = [],
): Outcome<Reviewed> {
  if (approved === undefined) return success({ approved: preview });
  const fault = findApprovalFault(preview, approved);
  if (fault !== undefined) return failure(`${fault} Nothing was written.`);
  const texts = new Map(approved.map(({ path, text }) => [path, text]));
  const changes = preview.changes.flatMap((change) => toApproved(change, texts.get(change.path)));
  const review = preview.changes.map((change) =>
    withReasons(reviewFile(change, texts.get(change.path)), reasons),
  );
  if (review.every(({ outcome }) => outcome === 'approved')) return success({ approved: preview });
  return success({ approved: { changes }, review });
}

/** The entries that the user leaves out. */
export interface ReviewedEntries {
  /** Absent: none. */
  readonly leftOut?: readonly string[];
  /** No entry is left to be made. */
  readonly isEmpty: boolean;
}

/** Fails when the answer names an entry that was not proposed; nothing may be written then. */
export function reviewEntries(
  entries: readonly ProposedEntry[],
  leftOut: readonly string[] = [],
  approved: Preview | undefined,
): Outcome<ReviewedEntries> {
  const unknown = leftOut.find((id) => !entries.some((entry) => entry.id === id));
  if (unknown !== undefined) {
    return failure(
      `The answer leaves out ${unknown}, which was not proposed. Nothing was written.`,
    );
  }
  const texts = new Set(approved?.changes.map(({ path }) => path));
  const made = entries.filter(
    ({ id, path, withText }) => !leftOut.includes(id) && (!withText || texts.has(path)),
  );
  return success({ ...(leftOut.length > 0 && { leftOut }), isEmpty: made.length === 0 });
}

/** Why a proposal cannot be reviewed, or undefined. */
export function findProposalFault({ changes }: Preview): string | undefined {
  if (changes.length === 0) return 'The proposal changes no file.';
  const twice = findTwice(changes);
  if (twice !== undefined) return `The proposal names ${twice} twice.`;
  if (changes.length === 1) return undefined;
  const size = changes.reduce((sum, change) => sum + changedCharacters(change), 0);
  if (size <= REVIEW_CHARACTERS) return undefined;
  return `The proposal changes ${size} characters in ${changes.length} files, more than the ${REVIEW_CHARACTERS} that can be reviewed at once. Propose fewer files in one call.`;
}

/** A proposal must fit into one protocol message, which is limited to 32 MiB. */
const REVIEW_CHARACTERS = 8 * MB;

function changedCharacters({ oldText = '', newText = '' }: FileChange): number {
  const { start, end, text } = changedTextSpan(oldText, newText);
  return end - start + text.length;
}

function findApprovalFault(
  { changes }: Preview,
  approved: readonly ApprovedFile[],
): string | undefined {
  const twice = findTwice(approved);
  if (twice !== undefined) return `The answer approves ${twice} twice.`;
  for (const { path, text } of approved) {
    const change = changes.find((each) => each.path === path);
    if (change === undefined) return `The answer approves ${path}, which was not proposed.`;
    if (text === null && change.newText !== undefined) {
      return `The answer deletes ${path}, which was not proposed.`;
    }
    if (text?.includes('\0')) return `The approved text of ${path} contains a NUL character.`;
    const broken = findBrokenText(text, `The approved text of ${path}`);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function findTwice(files: readonly { readonly path: string }[]): string | undefined {
  return files.find(({ path }, at) => files.findIndex((each) => each.path === path) !== at)?.path;
}

function toApproved(change: FileChange, text: string | null | undefined): readonly FileChange[] {
  if (text === undefined) return [];
  const { newText: _, ...rest } = change;
  return [text === null ? rest : { ...rest, newText: text }];
}
