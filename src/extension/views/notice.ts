import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { PageAlert } from '../../webview/messages/messages.ts';
import type { Asks, QueuedAsk } from '../asks/asks.ts';
import type { Notify } from '../asks/steadyNotices.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Translate } from '../text/translate.ts';

/** When to tell the user. */
export type NotifyWhen = 'off' | 'windowNotFocused' | 'always';

export interface NoticeParts {
  readonly asks: Asks;
  readonly clock: Clock;
  readonly t: Translate;
  readonly notify: Notify;
  windowFocused(): boolean;
  settings(): {
    readonly whenWaiting: NotifyWhen;
    readonly whenDone: NotifyWhen;
    readonly sound: boolean;
    readonly system: boolean;
  };
  /** Plays the sound and shows the system's notification in a visible chat. */
  alert(alert: PageAlert): void;
  goTo(pending: QueuedAsk): void;
  open(session: ChatSession): void;
}

/** Requests that arrive within this time share a notice, in milliseconds. */
const BURST = 200;

/** Tells the user that requests wait for an answer, or that a turn has ended. */
export class Notices implements Disposable {
  readonly #parts: NoticeParts;
  readonly #watching: Disposable;
  #known: ReadonlySet<string> = new Set();
  #fresh: readonly QueuedAsk[] = [];
  #timer: Disposable | undefined;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
    this.#watching = parts.asks.onDidChange(() => this.#update());
  }

  dispose(): void {
    this.#watching.dispose();
    this.#timer?.dispose();
  }

  /** Call it when a turn has ended. */
  ended(session: ChatSession): void {
    const { t, settings, open } = this.#parts;
    if (!this.#applies(settings().whenDone)) return;
    const text = t('The agent is done: {0}', session.state.title ?? t('Untitled session'));
    void this.#tell(text, () => open(session));
  }

  #update(): void {
    const { asks, clock } = this.#parts;
    const fresh = asks.pending.filter(({ ask }) => !this.#known.has(ask.id));
    this.#known = new Set(asks.pending.map(({ ask }) => ask.id));
    if (fresh.length === 0) return;
    this.#fresh = [...this.#fresh, ...fresh];
    this.#timer ??= clock.after(BURST, () => this.#tellFresh());
  }

  #tellFresh(): void {
    const { asks, t, settings, goTo } = this.#parts;
    const waiting = this.#fresh.filter(({ ask }) => asks.get(ask.id) !== undefined);
    this.#fresh = [];
    this.#timer = undefined;
    const [first] = waiting;
    if (first === undefined || !this.#applies(settings().whenWaiting)) return;
    const title = first.ask.kind === 'permission' ? first.ask.title : first.ask.message;
    const text =
      waiting.length === 1
        ? t('The agent needs your answer: {0}', title)
        : t('The agent needs {0} answers, first: {1}', waiting.length, title);
    void this.#tell(text, () => {
      // The request may have been answered before the user saw the notice.
      const pending = asks.get(first.ask.id) ?? asks.current;
      if (pending !== undefined) goTo(pending);
    });
  }

  #applies(when: NotifyWhen): boolean {
    return when === 'always' || (when === 'windowNotFocused' && !this.#parts.windowFocused());
  }

  async #tell(text: string, show: () => void): Promise<void> {
    const { notify, t, alert, settings } = this.#parts;
    const { sound, system } = settings();
    if (sound || system) alert({ sound, ...(system && { notification: text }) });
    const button = t('Show');
    if ((await notify(text, button)) === button) show();
  }
}
