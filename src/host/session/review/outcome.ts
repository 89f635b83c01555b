import { basename } from 'node:path';
import type { ToolDisplay } from '../../../base/stream/chunk.ts';
import type { ReviewRecord } from '../../../base/stream/dataChunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { FileReview } from '../../../diff/fileReview.ts';
import { describePreview } from '../../../tools/display.ts';
import { toReviewSummary } from '../../../tools/reviewSummary.ts';
import { toTitle } from './reviewOperation.ts';

/** What became of the files of one review. */
export interface ReviewOutcome {
  readonly id: string;
  /** Every file of the review. */
  readonly files: readonly FileReview[];
  /** The user rejected all of it: why, in the user's words. */
  readonly rejected?: { readonly reason?: string };
  /** Files that could not be written, and why. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
  readonly display: ToolDisplay;
}

/** The outcome for the record, the card and the model. */
export function toReview({ id, files, rejected, failed, display }: ReviewOutcome): ReviewRecord {
  const paths = [...files, ...failed].map(({ path }) => path);
  const summary = toReviewSummary(files).files;
  const text = [
    rejected === undefined ? REVIEWED : toRejection(rejected.reason),
    ...summary.map((file) => JSON.stringify(file)),
    ...failed.map(({ path, why }) => `${path} was not written: ${why}`),
  ].join('\n');
  return {
    id,
    text,
    display: { title: toTitle(paths), kind: 'edit', ...display },
    ...((rejected !== undefined || files.every(({ outcome }) => outcome === 'rejected')) && {
      denied: true,
    }),
  };
}

const REVIEWED =
  'The user reviewed the changes that were not on disk. Approved files are on disk as you proposed them, changed files as the user approved them; rejected parts and files were not written. Read a file before you change it again.';

function toRejection(reason: string | undefined): string {
  const text = 'The user rejected all changes that were not on disk. None was written.';
  if (reason === undefined)
    return `${text} Do not retry them in another form; ask what to do instead.`;
  return `${text} The reason: ${reason}`;
}

/** The user reverted changes of a call. */
export function toRevertReview(id: string, changes: readonly FileChange[]): ReviewRecord {
  const paths = changes.map(({ path }) => path);
  const name = paths.length === 1 ? basename(paths[0] ?? '') : `${paths.length} files`;
  return {
    id,
    text: [REVERTED, ...paths].join('\n'),
    display: { title: `Revert ${name}`, kind: 'edit', ...describePreview({ changes }) },
  };
}

const REVERTED =
  'The user reverted your changes of these files. Do not make them again unless asked; read a file before you change it.';
