import { basename } from 'node:path';
import { parseJson, toRecord } from '../../../base/json.ts';
import type { ToolDisplay } from '../../../base/stream/chunk.ts';
import type { ReviewRecord } from '../../../base/stream/dataChunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { FileReview } from '../../../diff/fileReview.ts';
import type { Hunk } from '../../../diff/hunks.ts';
import { cutText } from '../../../runtime/text.ts';
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
  /** Files that changed while the user reviewed them, and are asked about again. */
  readonly waiting?: readonly string[];
  /** The user approved something that could not be written. */
  readonly unwritten?: boolean;
  readonly display: ToolDisplay;
}

/** The outcome for the record, the card and the model. */
export function toReview(outcome: ReviewOutcome): ReviewRecord {
  const { id, files, rejected, failed, waiting = [], unwritten, display } = outcome;
  const paths = [...[...files, ...failed].map(({ path }) => path), ...waiting];
  const notWritten = [
    ...failed.map(({ path, why }) => `${path} was not written: ${why}`),
    ...waiting.map((path) => `${path} was not written: ${CHANGED}`),
  ];
  const text = [
    rejected === undefined ? REVIEWED : toRejection(rejected.reason),
    ...toReviewSummary(files).files.map((file) => JSON.stringify(file)),
    ...notWritten,
  ].join('\n');
  const shown = notWritten.map((each) => ({ type: 'text', text: each }) as const);
  const allRejected = files.every(({ outcome }) => outcome === 'rejected');
  const denied = rejected !== undefined || (allRejected && !unwritten && waiting.length === 0);
  const nothing = files.length === 0 || unwritten;
  return {
    ...{ id, text },
    display: {
      ...{ title: toTitle(paths), kind: 'edit', ...display },
      content: [...shown, ...(display.content ?? [])],
    },
    ...(denied ? { denied } : nothing && { failed: true }),
  };
}

const CHANGED = 'it changed during the review. The user is asked about it again.';
const REVIEWED =
  'The user reviewed the changes that were not on disk. Approved files are on disk as you proposed them, changed files as the user approved them; rejected parts and files were not written. Read a file before you change it again.';

function toRejection(reason: string | undefined): string {
  const text = 'The user rejected all changes that were not on disk. None was written.';
  if (reason === undefined)
    return `${text} Do not retry them in another form; ask what to do instead.`;
  return `${text} The reason: ${reason}`;
}

/** The user reverted changes of a call, or an undo of unreviewed changes (`isUndo`). */
export function toRevertReview(
  id: string,
  paths: readonly string[],
  changes: readonly FileChange[],
  isUndo: boolean,
): ReviewRecord {
  const name = paths.length === 1 ? basename(paths[0] ?? '') : `${paths.length} files`;
  return {
    id,
    text: [isUndo ? RESTORED : REVERTED, ...paths].join('\n'),
    display: {
      title: `${isUndo ? 'Restore' : 'Revert'} ${name}`,
      kind: 'edit',
      ...describePreview({ changes }),
      locations: paths.map((path) => ({ path })),
    },
  };
}

const RESTORED =
  'The user restored changes of yours that they had undone. These files have them again; read a file before you change it.';
const REVERTED =
  'The user reverted your changes of these files. Do not make them again unless asked; read a file before you change it.';

/** A file of which the user undid unreviewed hunks. */
export interface UndoneFile {
  readonly path: string;
  /** The file was created, or deleted, by the undone change. */
  readonly created?: true;
  readonly deleted?: true;
  readonly hunks: readonly Hunk[];
  /** No unreviewed hunk is left. */
  readonly all: boolean;
  /** What was undone that is no text. */
  readonly entry?: string;
}

/**
 * The user undid changes that were on disk. What is undone before the model is told continues one record,
 * so that it gets one message and the user sees one card.
 */
export function toUndoReview(
  id: string,
  undone: readonly UndoneFile[],
  changes: readonly FileChange[],
  earlier?: ReviewRecord,
): ReviewRecord {
  const [header = UNDONE, ...lines] = earlier?.text.split('\n') ?? [UNDONE];
  const all = [...lines, ...undone.map(toUndoneLine)];
  const { content = [], locations = [] } = earlier?.display ?? {};
  const shown = describePreview({ changes });
  return {
    id: earlier?.id ?? id,
    text: [header, ...all].join('\n'),
    display: {
      ...{ title: toUndoTitle(all), kind: 'edit' },
      locations: [...locations, ...(shown.locations ?? [])],
      content: [...content, ...(shown.content ?? [])],
    },
  };
}

const UNDONE =
  'The user reviewed changes that were already on disk and undid these. Do not make them again unless asked; read a file before you change it.';
const TEXT_BYTES = 1024;

/** One line of JSON. */
function toUndoneLine({ path, created, deleted, hunks, all, entry }: UndoneFile): string {
  if (entry !== undefined) return JSON.stringify({ path, undone: entry });
  if (created) return JSON.stringify({ path, undone: 'the file was deleted again' });
  if (deleted) return JSON.stringify({ path, undone: 'the file was restored' });
  const undone = hunks.map(({ newLine, newText, oldText }) => ({
    line: newLine,
    undone_text: cutText(newText, TEXT_BYTES),
    restored_text: cutText(oldText, TEXT_BYTES),
  }));
  return JSON.stringify({ path, undone, ...(!all && { other_changes: 'not undone' }) });
}

function toUndoTitle(lines: readonly string[]): string {
  const paths = new Set(lines.map((line) => String(toRecord(parseJson(line))['path'])));
  const [first = ''] = paths;
  return `Undo changes in ${paths.size === 1 ? basename(first) : `${paths.size} files`}`;
}
