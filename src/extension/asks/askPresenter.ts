import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { AskAnswer } from '../../webview/messages/asks.ts';
import type { Asks, QueuedAsk } from './asks.ts';
import type { TypingWatch } from './typingWatch.ts';

export interface PresenterParts {
  readonly asks: Asks;
  readonly typing: Pick<TypingWatch, 'restLeft' | 'inTerminal'>;
  readonly clock: Clock;
  /** Shows a request. Resolves with undefined if it was hidden and is still pending. */
  show(pending: QueuedAsk, signal: AbortSignal): Promise<AskAnswer | undefined>;
  /** Whether a quick pick may open automatically. */
  mayOpen(pending: QueuedAsk): boolean;
  onError(error: unknown): void;
}

/**
 * Shows the current request as a quick pick. When the user hides it, the whole queue is deferred, and
 * no quick pick opens automatically until a new request arrives. The user can open it from the card,
 * the status bar or *Go to Next Request*.
 */
export class AskPresenter implements Disposable {
  readonly #parts: PresenterParts;
  readonly #store = new DisposableStore();
  #shown: { readonly id: string; readonly close: AbortController } | undefined;
  #timer: Disposable | undefined;

  constructor(parts: PresenterParts) {
    this.#parts = parts;
    this.#store.add(parts.asks.onDidChange(() => this.#update()));
  }

  /** Opens an ask on the user's request; without an id, the current one. */
  open(id: string | undefined = this.#parts.asks.current?.ask.id): void {
    if (id === undefined || !this.#parts.asks.select(id)) return;
    const { current } = this.#parts.asks;
    if (current !== undefined && this.#shown === undefined) void this.#show(current);
  }

  /** Closes the quick pick of a request that another surface shows now. Nothing is deferred. */
  leave(): void {
    this.#close();
    this.#schedule();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#shown?.close.abort();
    this.#store.dispose();
  }

  #update(): void {
    const { current } = this.#parts.asks;
    if (this.#shown !== undefined && this.#shown.id !== current?.ask.id) this.#close();
    this.#schedule();
  }

  /** Closes the quick pick, because another request is current. */
  #close(): void {
    this.#shown?.close.abort();
    this.#shown = undefined;
  }

  #schedule(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#shown !== undefined || this.#store.disposed) return;
    const { asks, typing, clock, mayOpen } = this.#parts;
    const { current } = asks;
    if (current === undefined || asks.deferred || !mayOpen(current) || typing.inTerminal) return;
    if (typing.restLeft > 0) {
      this.#timer = clock.after(typing.restLeft, () => this.#schedule());
      return;
    }
    void this.#show(current);
  }

  async #show(pending: QueuedAsk): Promise<void> {
    const { asks, onError, show } = this.#parts;
    const { id } = pending.ask;
    const close = new AbortController();
    const shown = { id, close };
    this.#shown = shown;
    try {
      const answer = await show(pending, close.signal);
      if (this.#shown !== shown) return;
      this.#shown = undefined;
      if (answer === undefined) asks.defer();
      else asks.answer(id, answer);
    } catch (error) {
      if (this.#shown === shown) this.#shown = undefined;
      asks.defer();
      onError(error);
    } finally {
      this.#schedule();
    }
  }
}
