import type * as vscode from 'vscode';
import type { Chats } from '../chat/chats.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { ChatPage, ChatView } from './chatView.ts';
import type { ChatViews } from './chatViews.ts';

/** Workspace state key of the session that the side bar shows. */
export const SESSION_KEY = 'gatehouse.session';

export interface SidebarParts {
  readonly workspaceState: Pick<vscode.Memento, 'get'>;
  readonly chats: Pick<Chats, 'open' | 'load'>;
  readonly link: Pick<HostLink, 'started' | 'connection'>;
  readonly views: Pick<ChatViews, 'showing'>;
  readonly view: ChatView;
}

/** The view in the side bar, which restores the session that it last showed. */
export class Sidebar {
  readonly #parts: SidebarParts;
  #restored = false;

  constructor(parts: SidebarParts) {
    this.#parts = parts;
  }

  /**
   * Call when VS Code opens the view. The host starts and loads the session while the page loads,
   * which takes as long.
   */
  resolve(page: ChatPage): void {
    const { view } = this.#parts;
    view.attach(page);
    this.ready(view);
  }

  /** Starts the host unless it runs. In the side bar, the last session is shown when it is first opened. */
  ready(opened: ChatView): void {
    const { workspaceState, chats, link, views, view } = this.#parts;
    // A failed start is reported by the exit of the process.
    if (!link.started) link.connection().catch(() => undefined);
    if (opened !== view || this.#restored) return;
    this.#restored = true;
    const id = workspaceState.get<string>(SESSION_KEY);
    if (id === undefined || !view.session.blank) return;
    const session = chats.open(id);
    if (views.showing(session) !== undefined) return;
    view.show(session);
    void chats.load(session);
  }
}
