import { isReview, toReviewCall } from '../../../acp/dataUpdates.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { ReviewRecord } from '../../../base/stream/dataChunk.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { toUndoReview } from './outcome.ts';
import { toUndoneFile } from './undo.ts';
import type { Resolved } from './unreviewedChanges.ts';

/** Messages that may follow the one with an outcome before another window looks for it. */
const LOOK_BACK = 6;

/** What became of a session's reviews: shown at once, and stored until a message tells the model. */
export class ReviewOutcomes {
  readonly #services: Pick<HostServices, 'client' | 'recorder' | 'warn'>;
  readonly #sessionId: string;

  constructor(services: Pick<HostServices, 'client' | 'recorder' | 'warn'>, sessionId: string) {
    this.#services = services;
    this.#sessionId = sessionId;
  }

  add(review: ReviewRecord): void {
    this.#services.recorder.addOutcome(this.#sessionId, review);
    this.show(review);
  }

  /** The model is told at its next request, of everything that was undone until then. */
  addUndone(id: string, undone: readonly Resolved[], changes: readonly FileChange[]): void {
    const { recorder } = this.#services;
    const earlier = this.findUndo();
    const review = toUndoReview(id, undone.map(toUndoneFile), changes, earlier?.review);
    recorder.together(() => {
      if (earlier !== undefined) recorder.removeOutcome(earlier.id);
      recorder.addOutcome(this.#sessionId, review);
    });
    this.show(review);
  }

  /** The undos that the model was not told of. */
  findUndo() {
    return this.#list().find(({ review }) => review.id.startsWith('und_'));
  }

  show(review: ReviewRecord): void {
    const { client, warn } = this.#services;
    client
      .update(this.#sessionId, toReviewCall(review, client.facts))
      .catch((error) => warn(String(error)));
  }

  /**
   * Those since the last request, as chunks of the running turn: stored with it and taken from here in one
   * transaction, so that the model is told once. Throws a `BusyError`, with nothing done, when it can't begin.
   */
  take(storeNow: (chunk: Chunk) => void): readonly Chunk[] {
    const { recorder } = this.#services;
    const outcomes = this.#list();
    if (outcomes.length === 0) return [];
    return recorder.together(() =>
      outcomes.map(({ id, review }) => {
        // A card may have several outcomes, but each is told to the model.
        const chunk: Chunk = { type: 'data-review', id: `${review.id}-${id}`, data: review };
        storeNow(chunk);
        recorder.removeOutcome(id);
        return chunk;
      }),
    );
  }

  /** Between turns an outcome is a message of its own. */
  store(): void {
    const { recorder } = this.#services;
    for (const { id, review } of this.#list()) {
      recorder.together(() => {
        recorder.addUserMessage(this.#sessionId, [{ type: 'data-review', data: review }]);
        recorder.removeOutcome(id);
      });
    }
  }

  /** What became of a review that another window's host carried out; undefined: it is not stored yet. */
  findStored(id: string): ReviewRecord | undefined {
    const { recorder } = this.#services;
    const page = recorder.messagePage(this.#sessionId, { limit: LOOK_BACK });
    const parts = page.ok ? page.data.messages.flatMap((message) => message.parts) : [];
    const told = parts.flatMap((part) =>
      part.type === 'data-review' && 'data' in part && isReview(part.data) ? [part.data] : [],
    );
    return [...this.#list().map(({ review }) => review), ...told].find((each) => each.id === id);
  }

  #list(): readonly { readonly id: number; readonly review: ReviewRecord }[] {
    return this.#services.recorder
      .outcomes(this.#sessionId)
      .flatMap(({ id, data }) => (isReview(data) ? [{ id, review: data }] : []));
  }
}
