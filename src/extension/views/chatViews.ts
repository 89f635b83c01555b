import type { Disposable } from '../../base/disposable.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { ChatView } from './chatView.ts';

/** The views that show chats. A command that names no session acts on the view that was used last. */
export class ChatViews {
  readonly #chats: Pick<Chats, 'blank' | 'open' | 'load'>;
  /** The view that was used last comes first. */
  #views: readonly [ChatView, ...ChatView[]];

  /** `main` is the view that never goes away. */
  constructor(chats: Pick<Chats, 'blank' | 'open' | 'load'>, main: ChatView) {
    this.#chats = chats;
    this.#views = [main];
  }

  get all(): readonly ChatView[] {
    return this.#views;
  }

  /** The view that the user used last. */
  get current(): ChatView {
    return this.#views[0];
  }

  /** Adds a view until disposed; it becomes the current one. */
  add(view: ChatView): Disposable {
    this.use(view);
    return {
      dispose: () => {
        const [first, ...rest] = this.#views.filter((each) => each !== view);
        if (first !== undefined) this.#views = [first, ...rest];
      },
    };
  }

  /** Makes a view the current one. */
  use(view: ChatView): void {
    this.#views = [view, ...this.#views.filter((each) => each !== view)];
  }

  /** The view that shows a session; of several, the one that was used last. */
  showing(session: ChatSession): ChatView | undefined {
    return this.#views.find((view) => view.session === session);
  }

  /** Starts a new chat in the current view. */
  newSession(): void {
    this.current.show(this.#chats.blank(this.current.session));
  }

  /** Shows the session with the host's id, where it is shown already or in the current view. */
  async open(sessionId: string): Promise<ChatView> {
    const session = this.#chats.open(sessionId);
    const view = this.showing(session) ?? this.current;
    this.use(view);
    view.show(session);
    await this.#chats.load(session);
    return view;
  }
}
