import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Asks, CurrentAsk } from './asks.ts';
import type { PickOutcome } from './pickOutcome.ts';
import type { OpenedBy } from './safePick.ts';
import type { TypingWatch } from './typingWatch.ts';

/** Whether the user is in the chat and not writing. */
export interface ChatFocus {
  /** As far as the page has told. */
  readonly idle: boolean;
  readonly onDidChange: (listener: () => void) => Disposable;
  /** Asks the page, because focus may have moved a moment ago. */
  confirmIdle(): Promise<boolean>;
}

export interface PresenterParts {
  readonly asks: Asks;
  readonly typing: Pick<TypingWatch, 'restLeft' | 'typed'>;
  readonly focus: ChatFocus;
  readonly clock: Clock;
  /** Shows a request as a quick pick. */
  show(current: CurrentAsk, openedBy: OpenedBy, signal: AbortSignal): Promise<PickOutcome>;
  /** Whether a quick pick is wanted for this request at all, unless the user asks for one. */
  wantsPick(current: CurrentAsk): boolean;
  /** Whether the user sees the session of this request, so that its quick pick may open by itself. */
  mayOpen(current: CurrentAsk): boolean;
  /** Opens the diff or the card. */
  showDetails(current: CurrentAsk): void;
  /** Puts text into the composer that was typed into a quick pick. Resolves when it is sent to the page. */
  handOver(text: string): Promise<void>;
  /** Tells whether a quick pick is shown that opened by itself, so that Escape in it is known. */
  shownByItself(shown: boolean): void;
  /** Gives the focus back to the chat, from which a quick pick that opened by itself took it. */
  returnFocus(): void;
  onError(error: unknown): void;
}

interface Shown {
  readonly id: string;
  readonly openedBy: OpenedBy;
  /** Whether it took the focus from the chat, by itself or in place of one that did. */
  readonly fromChat: boolean;
  readonly close: AbortController;
}

/**
 * Shows the current request as a quick pick. It opens by itself only while the user is in the chat
 * and doesn't type; otherwise the user opens it from the card, the status bar or *Go to Next Request*.
 * Hiding it defers the whole queue until a new request arrives.
 */
export class AskPresenter implements Disposable {
  readonly #parts: PresenterParts;
  readonly #store = new DisposableStore();
  #shown: Shown | undefined;
  /** Texts on their way to the composer: until they are there, it only looks empty. */
  #handedOver = 0;
  /** The request whose diff or card the user opened; its quick pick stays closed. */
  #detailed: string | undefined;
  #timer: Disposable | undefined;
  /** The quick pick that the user hid by Escape. */
  #escaped: Shown | undefined;
  /** Counts attempts to open by itself, so that an outdated confirmation opens nothing. */
  #attempt = 0;

  constructor(parts: PresenterParts) {
    this.#parts = parts;
    this.#store.add(parts.asks.onDidChange(() => this.#update()));
    this.#store.add(parts.focus.onDidChange(() => this.#schedule()));
  }

  /** Whether a quick pick that the user opened is shown. */
  get isOpen(): boolean {
    return this.#shown?.openedBy === 'user';
  }

  /** Opens the quick pick of a request because the user asked for it; by default the current one. */
  open(id: string | undefined = this.#parts.asks.current?.ask.id): void {
    if (id === undefined) return;
    this.#open(id, this.#shown?.fromChat === true);
  }

  #open(id: string, fromChat: boolean): void {
    // The user may turn a quick pick that opened by itself into one that takes keys.
    if (this.#shown?.openedBy === 'itself') this.#close();
    if (!this.#parts.asks.select(id)) return;
    this.#detailed = undefined;
    const { current } = this.#parts.asks;
    if (current !== undefined && this.#shown === undefined)
      void this.#show(current, 'user', fromChat);
  }

  /**
   * Escape in a quick pick that opened by itself: puts the queue off and returns to the chat. If such a
   * quick pick is hidden in another way, the user opened a palette or picked something else, and the
   * focus must stay there.
   */
  escape(): void {
    const shown = this.#shown;
    if (shown?.openedBy !== 'itself') return;
    this.#escaped = shown;
    shown.close.abort();
  }

  /**
   * Closes the quick pick because another surface shows the current request now. Nothing is deferred,
   * and the quick pick stays closed for that request.
   */
  leave(): void {
    this.#detailed = this.#parts.asks.current?.ask.id;
    this.#close();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#close();
    this.#store.dispose();
  }

  #update(): void {
    const { current } = this.#parts.asks;
    if (this.#shown !== undefined && this.#shown.id !== current?.ask.id) this.#close();
    this.#schedule();
  }

  #close(): void {
    const shown = this.#shown;
    this.#shown = undefined;
    shown?.close.abort();
  }

  #schedule(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#attempt += 1;
    const current = this.#candidate();
    if (current === undefined) return;
    const { restLeft } = this.#parts.typing;
    if (restLeft > 0) this.#timer = this.#parts.clock.after(restLeft, () => this.#schedule());
    else void this.#openByItself(current, this.#attempt);
  }

  /** The request whose quick pick may open by itself now, apart from a key that was just pressed. */
  #candidate(): CurrentAsk | undefined {
    const isBusy = this.#shown !== undefined || this.#handedOver > 0;
    if (isBusy || this.#store.disposed) return undefined;
    const { asks, focus, mayOpen, wantsPick } = this.#parts;
    const { current, deferred } = asks;
    if (current === undefined || deferred || !focus.idle) return undefined;
    const wanted = current.ask.id !== this.#detailed && wantsPick(current);
    return wanted && mayOpen(current) ? current : undefined;
  }

  async #openByItself({ ask }: CurrentAsk, attempt: number): Promise<void> {
    const { focus, typing } = this.#parts;
    const idle = await focus.confirmIdle();
    const current = this.#candidate();
    if (!idle || attempt !== this.#attempt || current?.ask.id !== ask.id) return;
    if (typing.restLeft > 0) this.#schedule();
    else await this.#show(current, 'itself', true);
  }

  async #show(current: CurrentAsk, openedBy: OpenedBy, fromChat: boolean): Promise<void> {
    const { onError, show } = this.#parts;
    const { id } = current.ask;
    const shown = { id, openedBy, fromChat, close: new AbortController() };
    this.#shown = shown;
    if (openedBy === 'itself') this.#parts.shownByItself(true);
    const outcome = await show(current, openedBy, shown.close.signal).catch((error: unknown) => {
      onError(error);
      return { kind: 'hidden' } as const;
    });
    if (openedBy === 'itself') this.#parts.shownByItself(false);
    const stillShown = this.#shown === shown;
    if (stillShown) this.#shown = undefined;
    // Text is handed over even if the request was answered elsewhere meanwhile.
    if (outcome.kind === 'typed') await this.#handOver(outcome.text);
    else if (stillShown) this.#settle(current, shown, outcome);
    this.#schedule();
  }

  async #handOver(text: string): Promise<void> {
    const { handOver, onError, typing } = this.#parts;
    // The keys went to the quick pick, so nothing else has seen them.
    typing.typed();
    this.#handedOver += 1;
    await handOver(text).catch(onError);
    this.#handedOver -= 1;
  }

  #settle(current: CurrentAsk, shown: Shown, outcome: PickOutcome): void {
    const { openedBy } = shown;
    const { asks, showDetails, returnFocus, wantsPick } = this.#parts;
    const { id } = current.ask;
    const leftByUser = outcome.kind === 'hidden' ? this.#escaped === shown : true;
    if (openedBy === 'itself' && outcome.kind !== 'details' && leftByUser) returnFocus();
    if (outcome.kind === 'hidden') asks.defer();
    if (outcome.kind === 'details') {
      this.#detailed = id;
      showDetails(current);
    }
    if (outcome.kind !== 'answered' || !asks.answer(id, outcome.answer) || openedBy !== 'user')
      return;
    // The user knows that more requests were pending, and goes on with the next one.
    const next = current.total > 1 ? asks.current : undefined;
    if (next !== undefined && wantsPick(next) && this.#shown === undefined)
      this.#open(next.ask.id, shown.fromChat);
    else if (shown.fromChat) returnFocus();
  }
}
