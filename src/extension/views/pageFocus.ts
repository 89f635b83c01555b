import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { PageFocus } from '../../webview/messages/messages.ts';

/** How long to wait for a page's answer, in milliseconds. */
const PONG_WAIT = 250;

const AWAY: PageFocus = { focused: false, empty: false };

/**
 * Whether the user is in a page and its composer is empty. A page reports changes, which may arrive
 * late, so callers that are about to take the focus ask again.
 */
export class FocusState {
  readonly #clock: Clock;
  readonly #send: (ping: number) => void;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #waiting = new Map<number, (focus: PageFocus) => void>();
  #state = AWAY;
  #counter = 0;

  constructor(clock: Clock, send: (ping: number) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  get idle(): boolean {
    return this.#state.focused && this.#state.empty;
  }

  /** Whether the page has the focus, whatever its composer contains. */
  get focused(): boolean {
    return this.#state.focused;
  }

  /** The page reported its focus. */
  report({ focused, empty }: PageFocus): void {
    if (focused === this.#state.focused && empty === this.#state.empty) return;
    this.#state = { focused, empty };
    this.#changed.fire();
  }

  /** The page was hidden or disposed of; VS Code sends no blur then. */
  leave(): void {
    this.report(AWAY);
  }

  /** Asks the page. A page that doesn't answer counts as left. */
  async confirm(): Promise<boolean> {
    this.#counter += 1;
    const ping = this.#counter;
    const answer = Promise.withResolvers<PageFocus>();
    this.#waiting.set(ping, answer.resolve);
    const timer = this.#clock.after(PONG_WAIT, () => answer.resolve(AWAY));
    this.#send(ping);
    const focus = await answer.promise;
    timer.dispose();
    this.#waiting.delete(ping);
    return focus.focused && focus.empty;
  }

  /** The page's answer to `ping`. One that comes too late is news: who gave up may ask again. */
  pong(ping: number, focus: PageFocus): void {
    const known = this.#state;
    this.report(focus);
    const waiting = this.#waiting.get(ping);
    if (waiting !== undefined) waiting(focus);
    else if (this.idle && known === this.#state) this.#changed.fire();
  }
}

/** The focus of all pages of the chat, of which at most one has it. */
export class AllPagesFocus {
  readonly #pages = new Set<FocusState>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  /** Adds a page's state until it is disposed. */
  add(page: FocusState): Disposable {
    this.#pages.add(page);
    const watching = page.onDidChange(() => this.#changed.fire());
    return {
      dispose: () => {
        watching.dispose();
        this.#pages.delete(page);
      },
    };
  }

  get idle(): boolean {
    return this.#idlePage !== undefined;
  }

  async confirmIdle(): Promise<boolean> {
    return (await this.#idlePage?.confirm()) ?? false;
  }

  get #idlePage(): FocusState | undefined {
    return [...this.#pages].find(({ idle }) => idle);
  }
}
