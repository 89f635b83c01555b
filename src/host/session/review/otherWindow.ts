import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toTextContent, withCallMeta } from '../../../acp/toolContent.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { ReviewOutcomes } from './reviewOutcomes.ts';
import type { StoredOverlay } from './storedOverlay.ts';

export interface OtherWindowsParts {
  readonly services: Pick<HostServices, 'client' | 'reviewSignal' | 'warn'>;
  readonly sessionId: string;
  readonly overlay: StoredOverlay;
  readonly outcomes: ReviewOutcomes;
}

/** Other windows that show the same review: one of them answers it, and the others show what became of it. */
export class OtherWindows {
  readonly #parts: OtherWindowsParts;
  /** Aborts when another window has answered the current review. */
  #elsewhere = new AbortController();
  /** A review that another window answered, until what became of it is shown. */
  #awaited: string | undefined;

  constructor(parts: OtherWindowsParts) {
    this.#parts = parts;
  }

  /** Call before a review is asked about. The signal aborts when another window answers it. */
  begin(): AbortSignal {
    this.#elsewhere = new AbortController();
    return this.#elsewhere.signal;
  }

  /** Takes the review, so that its answer counts. False when another window was faster. */
  claim(): boolean {
    const { overlay, services } = this.#parts;
    const claimed = overlay.claim();
    if (claimed) services.reviewSignal.send();
    else this.#elsewhere.abort();
    return claimed;
  }

  /** Shows what other windows decided about, and no longer asks about it. */
  follow(): void {
    const { overlay, outcomes } = this.#parts;
    if (overlay.isAnswered()) {
      overlay.reload();
      this.#elsewhere.abort();
    }
    const review = this.#awaited && outcomes.findStored(this.#awaited);
    if (!review) return;
    this.#awaited = undefined;
    outcomes.show(review);
  }

  /** Says that another window answered the review, if one did; what became of it follows. */
  tell(id: string): void {
    if (!this.#elsewhere.signal.aborted) return;
    this.#awaited = id;
    const { client, warn } = this.#parts.services;
    client
      .update(this.#parts.sessionId, toAnsweredElsewhere(id))
      .catch((error) => warn(String(error)));
    this.follow();
  }
}

/** The card of a review that is asked about no longer, because another window answered it. */
function toAnsweredElsewhere(id: string): SessionUpdate {
  const fields = withCallMeta({ content: [toTextContent(ELSEWHERE)] }, { ended: 'aborted' });
  return { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'failed', ...fields };
}

const ELSEWHERE =
  'You answered this review in another window of this folder, so it is not asked here any more. An answer given here at the same moment does not count.';
