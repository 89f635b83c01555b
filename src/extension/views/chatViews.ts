import type { Disposable } from '../../base/disposable.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { ChatView } from './chatView.ts';

/** The chat views. Commands without a session act on the most recently used view. */
export class ChatViews {
  readonly #chats: Pick<Chats, 'blank' | 'open' | 'load'>;
  /** The side bar's. */
  readonly main: ChatView;
  /** Most recently used first. */
  #views: readonly [ChatView, ...ChatView[]];

  /** `main` is never removed. */
  constructor(chats: Pick<Chats, 'blank' | 'open' | 'load'>, main: ChatView) {
    this.#chats = chats;
    this.main = main;
    this.#views = [main];
    this.#follow(main);
  }

  get all(): readonly ChatView[] {
    return this.#views;
  }

  /** The most recently used view. */
  get current(): ChatView {
    return this.#views[0];
  }

  /** The view that has the keyboard focus, as far as the pages have reported. */
  get focused(): ChatView | undefined {
    return this.#views.find(({ pageFocus }) => pageFocus.focused);
  }

  /**
   * Makes a screen reader say what happened in an editor. Extensions can't do that there, so a visible
   * chat does.
   */
  announce(text: string): void {
    this.#views.find(({ visible }) => visible)?.announce(text);
  }

  /** Adds a view and makes it current. Disposing removes it. */
  add(view: ChatView): Disposable {
    this.use(view);
    const following = this.#follow(view);
    return {
      dispose: () => {
        following.dispose();
        const [first, ...rest] = this.#views.filter((each) => each !== view);
        if (first !== undefined) this.#views = [first, ...rest];
      },
    };
  }

  /** A view that gets the focus is current, also before the user does something in it. */
  #follow(view: ChatView): Disposable {
    return view.pageFocus.onDidChange(() => {
      if (view.pageFocus.focused) this.use(view);
    });
  }

  /** Makes a view current. */
  use(view: ChatView): void {
    this.#views = [view, ...this.#views.filter((each) => each !== view)];
  }

  /** The most recently used view that shows the session. */
  showing(session: ChatSession): ChatView | undefined {
    return this.#views.find((view) => view.session === session);
  }

  /** Starts a new chat in the current view. */
  newSession(): void {
    this.current.show(this.#chats.blank(this.current.session));
  }

  /**
   * Shows the session with the host's id, in the view that already shows it or in `other`, by default the
   * current one.
   */
  async open(sessionId: string, other = this.current): Promise<ChatView> {
    const session = this.#chats.open(sessionId);
    const view = this.showing(session) ?? other;
    this.use(view);
    view.show(session);
    await this.#chats.load(session);
    return view;
  }
}
