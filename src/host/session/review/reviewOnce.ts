import type { ToolDisplay } from '../../../base/stream/chunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import { type FileReview, reviewFile } from '../../../diff/fileReview.ts';
import { mergeTexts } from '../../../diff/merge.ts';
import type { Admitted } from '../../../gate/admit.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { Passed } from '../../../gate/passGate.ts';
import type { Preview } from '../../../gate/preview.ts';
import { toBase } from '../../../runtime/files/overlayFiles.ts';
import type { OverlayBase } from '../../../runtime/overlay.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { applyChanges, findConflict } from '../../../tools/applyChanges.ts';
import { describePreview } from '../../../tools/display.ts';
import { passLaterGate } from '../tools/laterGate.ts';
import type { ReviewOutcome } from './outcome.ts';
import { describeConflicts, toReviewOperation, toReviewPreview } from './reviewOperation.ts';
import type { StoredOverlay } from './storedOverlay.ts';

export interface RoundParts {
  readonly id: string;
  readonly overlay: StoredOverlay;
  /** Takes the review when it is answered. False: another window had an answer before. */
  claim(): boolean;
  readonly context: GateContext;
  /** Creates the runtime that reaches the files themselves. */
  runtime(admitted: Admitted): Runtime;
  /** What the agent proposed for files that changed after the user had answered about them. */
  readonly originals: Map<string, FileChange>;
  readonly signal: AbortSignal;
}

type Failed = ReviewOutcome['failed'][number];

/**
 * Asks the user about everything that waits in the overlay, and writes what is approved. Files that a
 * rule denies by now, or that can't be written, are dropped. A file that changed on disk since it was shown is not
 * written and keeps waiting, with the user's decisions. Undefined: the user did not answer, or another
 * window had an answer before, and then nothing is done.
 */
export async function reviewOnce(parts: RoundParts): Promise<ReviewOutcome | undefined> {
  const { id } = parts;
  const failed: Failed[] = [];
  const asked = await ask(parts, failed);
  if (asked === undefined) {
    if (failed.length === 0) return undefined;
    // Without files there is nothing that another window could answer.
    if (parts.overlay.list().length > 0) parts.claim();
    return { id, files: [], failed, display: {} };
  }
  if (!parts.claim()) return undefined;
  const { preview, passage } = asked;
  if (passage.type === 'stopped') {
    for (const change of preview.changes) settle(parts, change, undefined);
    const files = preview.changes.map((change) => reviewFile(change, undefined));
    const { reason } = passage;
    const rejected = reason === undefined ? {} : { reason };
    return { id, files, rejected, failed, display: describePreview(preview) };
  }
  return apply(parts, preview, passage, failed);
}

/** Drops the files that a rule or capability denies by now. */
async function dropDenied(parts: RoundParts, failed: Failed[]): Promise<void> {
  for (const { path } of parts.overlay.list()) {
    const why = await findDeny(parts, path);
    if (why === undefined) continue;
    failed.push({ path, why });
    parts.overlay.remove(path);
  }
}

/** Why a rule or capability denies writing the file now; undefined when it may be asked about. */
async function findDeny(
  { id, overlay, context, signal }: RoundParts,
  path: string,
): Promise<string | undefined> {
  const file = overlay.find(path);
  if (file === undefined) return undefined;
  const call = { toolCallId: id, operation: toReviewOperation([file]), context, signal };
  // Fails instead of asking.
  const passage = await passLaterGate(call, {}, async () => ({ ok: false, error: '' }));
  const denied = passage.type === 'stopped' && (passage.why === 'deny' || passage.why === 'refuse');
  return denied ? passage.text : undefined;
}

type Answered = Passed | { readonly type: 'stopped'; readonly reason?: string };

/** Undefined when the user did not answer, or nothing is left to ask about. */
async function ask(
  parts: RoundParts,
  failed: Failed[],
): Promise<{ readonly preview: Preview; readonly passage: Answered } | undefined> {
  const { id, overlay, context, signal } = parts;
  // An invalid answer changes nothing, and the user is asked again. So is a user about the other files
  // when one is denied by the time of the answer.
  for (let round = 0; round < ROUNDS; round += 1) {
    await dropDenied(parts, failed);
    const files = overlay.list();
    if (files.length === 0 || signal.aborted) return undefined;
    let preview: Preview = { changes: [] };
    const operation = toReviewOperation(files);
    const passage = await passLaterGate(
      { toolCallId: id, operation, context, signal },
      {},
      async (admitted) => {
        const { fs } = parts.runtime(admitted);
        preview = await toReviewPreview(overlay, fs, failed);
        if (preview.changes.length === 0) return { ok: false, error: NOTHING_LEFT };
        const shown: ToolDisplay = { ...admitted.shown, ...describePreview(preview) };
        const reason = describeConflicts(operation.askReason, overlay.list());
        return { ok: true, data: { preview, shown, ...(reason && { reason }) } };
      },
    );
    if (passage.type === 'passed') return { preview, passage };
    if (passage.why === 'cancel' || passage.why === 'failed') return undefined;
    if (passage.why === 'reject') {
      const { userReason: reason } = passage;
      return { preview, passage: { type: 'stopped', ...(reason !== undefined && { reason }) } };
    }
  }
  return undefined;
}

const ROUNDS = 3;
const NOTHING_LEFT = 'Nothing is left to review.';

async function apply(
  parts: RoundParts,
  preview: Preview,
  { approved, review, admitted }: Passed,
  failed: Failed[],
): Promise<ReviewOutcome> {
  const { id, originals } = parts;
  const runtime = parts.runtime(admitted);
  const texts = new Map((approved?.changes ?? []).map((change) => [change.path, change]));
  const written: FileChange[] = [];
  const files: FileReview[] = [];
  const waiting: string[] = [];
  let unwritten = false;
  for (const [at, change] of preview.changes.entries()) {
    const own = texts.get(change.path);
    const result = own === undefined ? 'rejected' : await applyOne(parts, own, runtime);
    if (result === 'waits') {
      originals.set(change.path, toOriginal(originals.get(change.path) ?? change, change));
      waiting.push(change.path);
      continue;
    }
    if (typeof result === 'object') {
      failed.push(result);
      unwritten = true;
      settle(parts, change, undefined);
      continue;
    }
    if (own !== undefined) written.push(own);
    files.push(
      toFileReview(parts, change, own) ?? review?.[at] ?? reviewFile(change, own?.newText ?? null),
    );
    settle(parts, change, own === undefined ? undefined : await readBase(own.path, runtime));
    originals.delete(change.path);
  }
  const display = describePreview({ changes: written.length > 0 ? written : preview.changes });
  return { id, files, failed, waiting, unwritten, display };
}

/** The review of what the agent had proposed, if the user had changed it in an earlier answer. */
function toFileReview(
  { originals }: RoundParts,
  change: FileChange,
  approved: FileChange | undefined,
): FileReview | undefined {
  const original = originals.get(change.path);
  if (original === undefined) return undefined;
  const text = approved === undefined ? undefined : (approved.newText ?? null);
  return reviewFile(toOriginal(original, change), text);
}

/** The agent's proposal on top of the file that the later one is based on. */
function toOriginal(original: FileChange, { oldText, beforeHash }: FileChange): FileChange {
  const { oldText: before = '', newText, path } = original;
  const merged =
    newText === undefined ? undefined : mergeTexts(before, oldText ?? '', newText).text;
  return {
    ...{ path, beforeHash },
    ...(oldText !== undefined && { oldText }),
    ...(merged !== undefined && { newText: merged }),
  };
}

/** `waits`: the file changed since it was shown, so the approved text is proposed again. */
async function applyOne(
  { overlay }: RoundParts,
  change: FileChange,
  runtime: Runtime,
): Promise<'written' | 'waits' | Failed> {
  const applied = await applyChanges({ changes: [change] }, runtime);
  if (applied.ok) return 'written';
  const { path, newText } = change;
  const read = await runtime.fs.readForChange(path);
  const entry = overlay.find(path);
  if (read.ok && entry !== undefined) {
    using file = read.data;
    if (findConflict(change, file) !== undefined) {
      const { text: _, ...rest } = entry;
      overlay.put({ ...rest, ...(newText !== undefined && { text: newText }) });
      return 'waits';
    }
  }
  return { path, why: applied.error };
}

async function readBase(
  path: string,
  { fs }: Runtime,
): Promise<{ readonly base?: OverlayBase } | undefined> {
  const read = await fs.readForChange(path);
  if (!read.ok) return undefined;
  using file = read.data;
  return file === undefined ? {} : { base: toBase(file) };
}

/**
 * Removes the answered change from the overlay. What the agent changed after it was shown keeps
 * waiting, based on `now`, the file as it was written; undefined: it was not.
 */
function settle(
  { overlay }: RoundParts,
  { path, oldText, newText }: FileChange,
  now: { readonly base?: OverlayBase } | undefined,
): void {
  const entry = overlay.find(path);
  if (entry === undefined) return;
  if (entry.text === newText) {
    overlay.remove(path);
    return;
  }
  const base = now === undefined ? entry.base : now.base;
  const before = (now === undefined ? oldText : base?.text) ?? '';
  const text = entry.text && mergeTexts(newText ?? '', before, entry.text).text;
  overlay.put({ path, ...(base && { base }), ...(text !== undefined && { text }) });
}
