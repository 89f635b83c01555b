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
 * Shows pending requests as quick picks, one at a time, oldest first. A hidden one is not shown
 * again automatically. The user can open it from the card, the status bar or *Go to Next Request*.
 */
export class AskPresenter implements Disposable {
  readonly #parts: PresenterParts;
  readonly #store = new DisposableStore();
  readonly #hidden = new Set<string>();
  #shown: { readonly id: string; readonly close: AbortController } | undefined;
  #timer: Disposable | undefined;

  constructor(parts: PresenterParts) {
    this.#parts = parts;
    this.#store.add(parts.asks.onDidChange(() => this.#update()));
  }

  /** Opens an ask on the user's request; without an id, the oldest. */
  open(id?: string): void {
    const pending = id === undefined ? this.#parts.asks.pending[0] : this.#parts.asks.get(id);
    if (pending === undefined) return;
    this.#hidden.delete(pending.ask.id);
    if (this.#shown?.id === pending.ask.id) return;
    this.#shown?.close.abort();
    void this.#show(pending);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#shown?.close.abort();
    this.#store.dispose();
  }

  #update(): void {
    const { asks } = this.#parts;
    if (this.#shown !== undefined && asks.get(this.#shown.id) === undefined) {
      this.#shown.close.abort();
    }
    for (const id of this.#hidden) if (asks.get(id) === undefined) this.#hidden.delete(id);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#shown !== undefined || this.#store.disposed) return;
    const { asks, typing, clock, mayOpen } = this.#parts;
    const next = asks.pending.find((each) => !this.#hidden.has(each.ask.id) && mayOpen(each));
    if (next === undefined || typing.inTerminal) return;
    if (typing.restLeft > 0) {
      this.#timer = clock.after(typing.restLeft, () => this.#schedule());
      return;
    }
    void this.#show(next);
  }

  async #show(pending: QueuedAsk): Promise<void> {
    const { id } = pending.ask;
    const close = new AbortController();
    const shown = { id, close };
    this.#shown = shown;
    try {
      const answer = await this.#parts.show(pending, close.signal);
      if (answer === undefined) this.#hidden.add(id);
      else this.#parts.asks.answer(id, answer);
    } catch (error) {
      this.#hidden.add(id);
      this.#parts.onError(error);
    } finally {
      if (this.#shown === shown) this.#shown = undefined;
      this.#schedule();
    }
  }
}
