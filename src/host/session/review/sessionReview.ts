import { isReview, toReviewCall } from '../../../acp/dataUpdates.ts';
import type { RevertResult } from '../../../acp/gatehouse/pending.ts';
import { getMessage } from '../../../base/faults.ts';
import { createId } from '../../../base/ids.ts';
import { type Outcome, success } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { ReviewRecord } from '../../../base/stream/dataChunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { ChangeLog, Overlay } from '../../../runtime/overlay.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { type ToolSession, toCallContext } from '../tools/callContext.ts';
import { sessionTools, type ToolOwner } from '../tools/sessionTools.ts';
import { toRevertReview, toReview } from './outcome.ts';
import { revert, type UserOperation } from './revert.ts';
import { reviewOnce } from './reviewOnce.ts';
import { openStoredOverlay, type StoredOverlay } from './storedOverlay.ts';

/** The session whose changes are reviewed. */
export type ReviewedSession = ToolSession & ToolOwner;

/**
 * The review of a session's changes that are not on disk yet (`gatehouse.review.mode: turn`). They
 * wait in the stored overlay until the user answers: when a turn ends, before a command, on
 * demand, and after a restart.
 */
export class SessionReview {
  readonly #services: HostServices;
  readonly #session: ReviewedSession;
  readonly #overlay: StoredOverlay;
  readonly #originals = new Map<string, FileChange>();
  readonly #closed = new AbortController();
  /** What calls changed, for `revert`. */
  readonly changes: ChangeLog;
  #current: Promise<void> | undefined;
  #inTurn = false;

  constructor(services: HostServices, session: ReviewedSession) {
    this.#services = services;
    this.#session = session;
    const { recorder } = services;
    this.changes = {
      note(toolCallId, change) {
        const id = recorder.addChange(session.id, toolCallId, change);
        return () => id !== undefined && recorder.removeChange(id);
      },
    };
    this.#overlay = openStoredOverlay(recorder, session.id, this.changes);
  }

  /** Whether calls change the overlay. Files in it stay there when the mode changes. */
  collects(): boolean {
    return this.#overlay.list().length > 0 || this.#isTurnMode();
  }

  /** The overlay that calls see; undefined while they change the files. */
  overlay(): Overlay | undefined {
    return this.collects() ? this.#overlay : undefined;
  }

  /** The files in the overlay. */
  get files(): readonly string[] {
    return this.#overlay.list().map(({ path }) => path);
  }

  #isTurnMode(): boolean {
    const { client, warn } = this.#services;
    if (this.#session.configuration().settings.reviewMode !== 'turn') return false;
    if (this.#session.canAsk && client.facts.review) return true;
    if (this.#session.canAsk && !fellBack.has(this.#services)) {
      fellBack.add(this.#services);
      warn(
        'gatehouse.review.mode is "turn", but this editor cannot show such a review. Every edit is asked about instead.',
      );
    }
    return false;
  }

  /** Call before the prompt is stored: outcomes of earlier reviews come before it. */
  turnStarted(): void {
    this.#overlay.reload();
    this.#storeOutcomes();
    this.#inTurn = true;
  }

  /** The outcomes since the last request, as chunks of the running turn. */
  takeOutcomes(storeNow: (chunk: Chunk) => void): readonly Chunk[] {
    const { recorder } = this.#services;
    return this.#outcomes().map(({ id, review }) => {
      // A card may have several outcomes, but each is told to the model.
      const chunk: Chunk = { type: 'data-review', id: `${review.id}-${id}`, data: review };
      storeNow(chunk);
      recorder.removeOutcome(id);
      return chunk;
    });
  }

  /** Call when the turn's message is complete. Asks about what the turn has collected. */
  turnEnded(): void {
    this.#inTurn = false;
    this.#storeOutcomes();
    this.open();
  }

  /** Asks the user about the overlay's files, unless that is being done. */
  open(): void {
    void this.#run();
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
    this.#closed.abort();
  }

  #run(): Promise<void> {
    this.#current ??= this.#review()
      .catch((error) => this.#services.warn(`The review failed: ${getMessage(error)}`))
      .finally(() => {
        this.#current = undefined;
      });
    return this.#current;
  }

  async #review(): Promise<void> {
    const { signal } = this.#closed;
    while (this.files.length > 0 && this.#session.canAsk && !signal.aborted) {
      const outcome = await this.#reviewOnce(signal);
      if (outcome === undefined) return;
      this.#publish(outcome);
      // What the agent changed meanwhile is reviewed when its turn ends.
      if (this.#inTurn) return;
    }
  }

  async #reviewOnce(signal: AbortSignal): Promise<ReviewRecord | undefined> {
    const id = this.#overlay.reviewId;
    const parts = { ...(await this.#gateParts(id)), signal };
    const files = { overlay: this.#overlay, originals: this.#originals };
    const outcome = await reviewOnce({ ...parts, ...files });
    if (outcome === undefined) return undefined;
    this.#overlay.renew();
    return toReview(outcome);
  }

  /**
   * Takes the changes of a call out of the files again, and keeps what came after them. The model is
   * told. Fails with a message for the user.
   */
  async revert(toolCallId: string): Promise<Outcome<RevertResult>> {
    const { signal } = this.#closed;
    const changes = this.#services.recorder.changes(this.#session.id, toolCallId);
    const parts = await this.#gateParts(createId('rev'));
    const done = await revert({ ...parts, changes, signal });
    if (!done.ok) return done;
    if (done.data.changes.length > 0) this.#publish(toRevertReview(parts.id, done.data.changes));
    const files = done.data.changes.map(({ path }) => path);
    return success({ files, conflicts: done.data.conflicts });
  }

  /** What an operation of the user needs to pass the gate and to reach the files. */
  async #gateParts(id: string): Promise<Pick<UserOperation, 'id' | 'context' | 'runtime'>> {
    const services = this.#services;
    const session = this.#session;
    const { registry } = await sessionTools(services, session);
    const runtimes = await services.runtimes();
    // The watchdog has seen the calls; a review is not another one.
    const { watchdog: _, ...context } = toCallContext(services, { registry, runtimes }, session);
    const { signal } = this.#closed;
    const runtime: UserOperation['runtime'] = ({ gate }) =>
      runtimes.of(session).diskRuntime(id, signal, () => undefined, gate);
    return { id, context, runtime };
  }

  #publish(review: ReviewRecord): void {
    const { recorder, client, warn } = this.#services;
    recorder.addOutcome(this.#session.id, review);
    client
      .update(this.#session.id, toReviewCall(review, client.facts))
      .catch((error) => warn(String(error)));
    if (!this.#inTurn) this.#storeOutcomes();
  }

  #outcomes(): readonly { readonly id: number; readonly review: ReviewRecord }[] {
    return this.#services.recorder
      .outcomes(this.#session.id)
      .flatMap(({ id, data }) => (isReview(data) ? [{ id, review: data }] : []));
  }

  /** Between turns an outcome is a message of its own. */
  #storeOutcomes(): void {
    const { recorder } = this.#services;
    for (const { id, review } of this.#outcomes()) {
      recorder.together(() => {
        recorder.addUserMessage(this.#session.id, [{ type: 'data-review', data: review }]);
        recorder.removeOutcome(id);
      });
    }
  }
}

/** Hosts whose client was told that its reviews are per edit. */
const fellBack = new WeakSet<HostServices>();
