import { Emitter } from '../../base/event.ts';
import type { Ask, AskAnswer } from '../../webview/messages/asks.ts';

/** A pending request and the session that it belongs to. */
export interface QueuedAsk {
  readonly sessionId: string;
  readonly ask: Ask;
}

/** Undefined if the ask was withdrawn because the turn was stopped or the host exited. */
type Resolve = (answer: AskAnswer | undefined) => void;

/**
 * The pending requests of all sessions, oldest first. Card, quick pick and status bar show them.
 * The first answer wins and closes the request everywhere.
 */
export class Asks {
  readonly #open = new Map<string, { readonly pending: QueuedAsk; readonly resolve: Resolve }>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  get pending(): readonly QueuedAsk[] {
    return [...this.#open.values()].map(({ pending }) => pending);
  }

  get(id: string): QueuedAsk | undefined {
    return this.#open.get(id)?.pending;
  }

  /**
   * Resolves with the first answer, or with undefined if the ask is withdrawn. An ask with the id of a
   * pending one is never shown, so that an answer never settles another request.
   */
  add(pending: QueuedAsk, signal: AbortSignal): Promise<AskAnswer | undefined> {
    const { id } = pending.ask;
    if (signal.aborted || this.#open.has(id)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#open.set(id, { pending, resolve });
      signal.addEventListener('abort', () => this.#close(id, undefined), { once: true });
      this.#changed.fire();
    });
  }

  /** Answers an ask. Returns false and does nothing if it is not pending. */
  answer(id: string, answer: AskAnswer): boolean {
    const open = this.#open.get(id);
    if (open === undefined || !fits(open.pending.ask, answer)) return false;
    this.#close(id, answer);
    return true;
  }

  /** Withdraws the asks of a session, or all asks. */
  withdraw(sessionId?: string): void {
    for (const { pending } of [...this.#open.values()]) {
      if (sessionId === undefined || pending.sessionId === sessionId) {
        this.#close(pending.ask.id, undefined);
      }
    }
  }

  #close(id: string, answer: AskAnswer | undefined): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.resolve(answer);
    this.#changed.fire();
  }
}

/** Whether an answer was offered. Messages from the chat's page are not trusted. */
function fits(ask: Ask, answer: AskAnswer): boolean {
  if (ask.kind === 'question') return answer.kind !== 'option';
  return (
    answer.kind === 'option' && ask.options.some(({ optionId }) => optionId === answer.optionId)
  );
}
