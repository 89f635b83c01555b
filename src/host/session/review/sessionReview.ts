import type {
  PendingReview,
  ResolveChanges,
  ResolvedFile,
  ResolveResult,
  RevertResult,
} from '../../../acp/gatehouse/pending.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { getMessage } from '../../../base/faults.ts';
import { createId } from '../../../base/ids.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { ReviewRecord } from '../../../base/stream/dataChunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { AskUser } from '../../../gate/ask.ts';
import type { CollectedIn } from '../../../gate/gateContext.ts';
import type { ChangeLog, Overlay } from '../../../runtime/overlay.ts';
import type { UnreviewedWrites } from '../../../tools/call.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { type ToolSession, toCallContext } from '../tools/callContext.ts';
import { sessionTools, type ToolOwner } from '../tools/sessionTools.ts';
import { createChangeLog, noteUnasked, type UnaskedWrites } from './changeLog.ts';
import { OtherWindows } from './otherWindow.ts';
import { type ReviewOutcome, toRevertReview, toReview } from './outcome.ts';
import { revert, type UserOperation } from './revert.ts';
import { findReviewMode } from './reviewMode.ts';
import { reviewOnce } from './reviewOnce.ts';
import { ReviewOutcomes } from './reviewOutcomes.ts';
import { openStoredOverlay, type StoredOverlay } from './storedOverlay.ts';
import { undoChanges } from './undo.ts';
import { type Resolved, UnreviewedChanges } from './unreviewedChanges.ts';
import { UnreviewedPublisher } from './unreviewedPublisher.ts';

/** The session whose changes are reviewed. */
export type ReviewedSession = ToolSession & ToolOwner;

/**
 * The review of a session's changes that are not on disk yet (`gatehouse.review.mode: turn`). They
 * wait in the stored overlay until the user answers: when a turn ends, before a command, on
 * demand, and after a restart. With `afterwards` the changes are on disk, and `unreviewed` has them.
 */
export class SessionReview {
  readonly #services: HostServices;
  readonly #session: ReviewedSession;
  readonly #overlay: StoredOverlay;
  readonly #originals = new Map<string, FileChange>();
  readonly #closed = new AbortController();
  readonly #outcomes: ReviewOutcomes;
  readonly #publisher: UnreviewedPublisher;
  readonly #others: OtherWindows;
  readonly #watching: Disposable;
  /** What calls changed, for `revert`. */
  readonly changes: ChangeLog;
  /** What is on disk and not reviewed. */
  readonly unreviewed: UnreviewedChanges;
  readonly #unasked: UnaskedWrites = new Map();
  /** Tells the client and other windows of another list of unreviewed files. */
  readonly #onUnreviewed: () => void;
  #current: Promise<void> | undefined;
  /** Resolves when the user is asked. */
  #asked = Promise.withResolvers<true>();
  /** What the last reviews could not write. */
  #dropped: ReviewOutcome['failed'] = [];
  #inTurn = false;

  constructor(services: HostServices, session: ReviewedSession) {
    this.#services = services;
    this.#session = session;
    const { recorder, reviewSignal } = services;
    this.#onUnreviewed = () => {
      this.publishUnreviewed();
      reviewSignal.send();
    };
    const unreviewed = new UnreviewedChanges({
      ...{ table: recorder, sessionId: session.id },
      onChange: this.#onUnreviewed,
    });
    this.unreviewed = unreviewed;
    this.#outcomes = new ReviewOutcomes(services, session.id);
    this.#publisher = new UnreviewedPublisher(services, session.id, unreviewed);
    this.#watching = reviewSignal.onDidSend(() => {
      this.#publisher.refresh();
      this.#others.follow();
    });
    this.changes = createChangeLog({
      ...{ table: recorder, sessionId: session.id },
      ...{ unasked: this.#unasked, unreviewed, onDropped: this.#onUnreviewed },
    });
    this.#overlay = openStoredOverlay(recorder, session.id, this.changes);
    const [overlay, outcomes] = [this.#overlay, this.#outcomes];
    this.#others = new OtherWindows({ services, sessionId: session.id, overlay, outcomes });
  }

  /** Where calls put their changes. Files in the overlay stay there when the mode changes. */
  collects(): CollectedIn | undefined {
    if (this.#overlay.list().length > 0) return 'overlay';
    switch (findReviewMode(this.#services, this.#session)) {
      case 'turn':
        return 'overlay';
      case 'afterwards':
        return 'disk';
      case 'each':
        return undefined;
    }
  }

  /** The call's changes await a review from now on, until it ends. */
  noteWrites(toolCallId: string): UnreviewedWrites {
    return noteUnasked(this.#unasked, toolCallId, this.#onUnreviewed);
  }

  /** The overlay that calls see; undefined while they change the files. */
  overlay(): Overlay | undefined {
    return this.collects() === 'overlay' ? this.#overlay : undefined;
  }

  /** The files in the overlay. */
  get files(): readonly string[] {
    return this.#overlay.list().map(({ path }) => path);
  }

  /** Call before the prompt is stored: outcomes of earlier reviews come before it. */
  turnStarted(): void {
    this.#overlay.reload();
    this.#outcomes.store();
    this.#inTurn = true;
  }

  /** The outcomes since the last request, as chunks of the running turn. */
  takeOutcomes(storeNow: (chunk: Chunk) => void): readonly Chunk[] {
    return this.#outcomes.take(storeNow);
  }

  /** Call when the turn's message is complete. Asks about what the turn has collected. */
  turnEnded(): void {
    this.#inTurn = false;
    this.#outcomes.store();
    this.open();
  }

  /** Asks the user about the overlay's files, unless that is being done. */
  open(): void {
    // The window whose turn writes the session asks when the turn ends.
    if (!this.#services.recorder.isWritten(this.#session.id)) void this.#run();
  }

  /**
   * Asks the user now. Resolves when the request is on its way, or when there turns out to be nothing
   * to ask about: with the files that still wait, and those that can't be written and wait no longer.
   */
  async ask(): Promise<PendingReview> {
    this.#dropped = [];
    const ended = this.#run().then(() => false);
    const asked = await Promise.race([ended, this.#asked.promise]);
    return { files: asked ? this.files : [], dropped: this.#dropped };
  }

  /** Has the changes reviewed that a command would not see. Resolves with the paths that still wait. */
  async beforeCommand(signal: AbortSignal): Promise<readonly string[]> {
    if (this.files.length > 0 && !signal.aborted) {
      const aborted = Promise.withResolvers<void>();
      const onAbort = () => aborted.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.race([this.#run(), aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    }
    return this.files;
  }

  /** The overlay stays stored. */
  close(): void {
    this.#watching.dispose();
    this.#closed.abort();
  }

  #run(): Promise<void> {
    this.#current ??= this.#review()
      .catch((error) => this.#services.warn(`The review failed: ${getMessage(error)}`))
      .finally(() => {
        this.#current = undefined;
        this.#asked = Promise.withResolvers();
      });
    return this.#current;
  }

  async #review(): Promise<void> {
    const closed = this.#closed.signal;
    while (this.files.length > 0 && this.#session.canAsk && !closed.aborted) {
      const id = this.#overlay.reviewId;
      const elsewhere = this.#others.begin();
      const outcome = await this.#reviewOnce(AbortSignal.any([closed, elsewhere]));
      this.#others.tell(id);
      if (outcome === undefined) return;
      this.#publish(outcome);
      // What the agent changed meanwhile is reviewed when its turn ends.
      if (this.#inTurn) return;
    }
  }

  async #reviewOnce(signal: AbortSignal): Promise<ReviewRecord | undefined> {
    const id = this.#overlay.reviewId;
    const { context, ...parts } = await this.#gateParts(id);
    const outcome = await reviewOnce({
      ...{ ...parts, signal, overlay: this.#overlay, originals: this.#originals },
      claim: () => this.#others.claim(),
      context: { ...context, ...(context.ask && { ask: this.#watchAsk(context.ask) }) },
    });
    if (outcome === undefined) return undefined;
    this.#dropped = [...this.#dropped, ...outcome.failed];
    return toReview(outcome);
  }

  #watchAsk(ask: AskUser): AskUser {
    return (request, signal) => {
      this.#asked.resolve(true);
      return ask(request, signal);
    };
  }

  /**
   * Takes the changes of a call out of the files again, and keeps what came after them. The model is
   * told. Fails with a message for the user. `owner`: a subagent of the session, whose call it was.
   */
  async revert(toolCallId: string, owner = this.#session.id): Promise<Outcome<RevertResult>> {
    const { signal } = this.#closed;
    const { recorder } = this.#services;
    const changes = recorder.changes(owner, toolCallId);
    const entries = recorder.entryChanges(owner, toolCallId);
    const parts = await this.#gateParts(createId('rev'));
    const done = await revert({ ...parts, changes, entries, signal });
    if (!done.ok) return done;
    const { files, conflicts, changed, failed } = done.data;
    for (const { path, newText } of done.data.changes) this.unreviewed.dropGone(path, newText);
    if (owner === this.#session.id) this.unreviewed.reverted(toolCallId, files);
    if (files.length > 0) {
      const isUndo = toolCallId.startsWith('und_');
      this.#publish(toRevertReview(parts.id, files, done.data.changes, isUndo));
    }
    if (failed !== undefined) return failure(failed);
    return success({ files, conflicts, ...(changed.length > 0 && { changed }) });
  }

  /**
   * Keeps or undoes unreviewed changes. With a conflict or an outdated file nothing is changed. Fails with a
   * message for the user.
   */
  async resolve(
    decision: ResolveChanges['decision'],
    files: readonly ResolvedFile[],
  ): Promise<Outcome<ResolveResult>> {
    const { found, outdated } = this.unreviewed.resolve(files);
    // Another window may have decided, which only its own client was told.
    if (outdated.length > 0) this.publishUnreviewed();
    if (outdated.length > 0) return success({ written: [], conflicts: [], outdated });
    if (decision === 'keep') {
      this.unreviewed.keep(found);
      return success({ written: [], conflicts: [], outdated });
    }
    // Undos that the model was not told of are one record, which *Revert* restores as a whole.
    const id = this.#outcomes.findUndo()?.review.id ?? createId('und');
    const parts = { ...(await this.#gateParts(id)), signal: this.#closed.signal };
    const byHand = decision === 'settle';
    const withFolders = (all: readonly Resolved[]) => this.unreviewed.withFolders(all);
    const done = await undoChanges({ ...parts, files: found, byHand, withFolders });
    if (!done.ok) return done;
    const { changes, conflicts, changed, left, failed } = done.data;
    for (const [resolved, versions] of left) this.unreviewed.undone(resolved, versions);
    const undone = left.map(([resolved]) => resolved);
    if (undone.length > 0) this.#outcomes.addUndone(id, undone, changes);
    if (failed !== undefined) return failure(failed);
    const written = done.data.files;
    return success({ written, conflicts, outdated, ...(changed.length > 0 && { changed }) });
  }

  /** Sends the list of unreviewed files to a client that shows it. */
  publishUnreviewed(): void {
    this.#publisher.publish();
  }

  /** What an operation of the user needs to pass the gate and to reach the files. */
  async #gateParts(id: string): Promise<Pick<UserOperation, 'id' | 'context' | 'runtime'>> {
    const services = this.#services;
    const session = this.#session;
    const tools = await sessionTools(services, session);
    const runtimes = await services.runtimes();
    // The watchdog has seen the calls; a review is not another one.
    const { watchdog: _, ...context } = toCallContext(services, { tools, runtimes }, session);
    const { signal } = this.#closed;
    const runtime: UserOperation['runtime'] = ({ gate }) =>
      runtimes.of(session).diskRuntime(id, signal, () => undefined, gate);
    return { id, context, runtime };
  }

  #publish(review: ReviewRecord): void {
    this.#outcomes.add(review);
    if (!this.#inTurn) this.#outcomes.store();
    this.#services.reviewSignal.send();
  }
}
