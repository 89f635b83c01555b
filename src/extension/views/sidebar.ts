import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { ChatPage } from './chatPage.ts';
import type { ChatView } from './chatView.ts';
import type { ChatViews } from './chatViews.ts';

/** Workspace state key of the session that the side bar shows. */
export const SESSION_KEY = 'gatehouse.session';

/** Workspace state key: whether the side bar showed the chat when it last changed. */
export const SHOWN_KEY = 'gatehouse.chatShown';

/**
 * Milliseconds that VS Code gets to compress and send what it was told, such as a page, before the
 * start of the host keeps the thread.
 */
export const SENDING = 120;

/**
 * Milliseconds that VS Code gets to open a view that it showed last. Before it has the page, the start of the host
 * would take processor time from both.
 */
export const OPENING = 500;

export interface SidebarParts {
  readonly workspaceState: Pick<vscode.Memento, 'get' | 'update'>;
  readonly chats: Pick<Chats, 'open' | 'load'>;
  readonly link: Pick<HostLink, 'started' | 'connection'>;
  readonly views: Pick<ChatViews, 'showing'>;
  readonly view: ChatView;
  readonly clock: Clock;
}

/** The view in the side bar, which restores the session that it last showed. */
export class Sidebar {
  readonly #parts: SidebarParts;
  #restored = false;
  /** The restored session, until the host is asked for it. */
  #unloaded: ChatSession | undefined;

  constructor(parts: SidebarParts) {
    this.#parts = parts;
  }

  /**
   * Call when the extension has been activated. If the chat was shown when the window was closed, VS Code
   * is about to open it. The host starts and loads the session when it has, or some time later all the same.
   */
  expect(): void {
    if (this.#parts.workspaceState.get<boolean>(SHOWN_KEY) !== true) return;
    this.#restore();
    this.#readyAfter(OPENING);
  }

  /**
   * Call when VS Code opens the view. The host starts and loads the session while the page loads, which
   * takes as long.
   */
  resolve(page: ChatPage): void {
    const { view, workspaceState } = this.#parts;
    // Before the page is made, which shows the last screen of its session.
    this.#restore();
    view.attach(page);
    const keepShown = () => void workspaceState.update(SHOWN_KEY, page.visible);
    keepShown();
    page.onDidChangeVisibility(keepShown);
    this.#readyAfter(SENDING);
  }

  /** Starts the host unless it runs. In the side bar, the last session is shown when it is first opened. */
  ready(opened: ChatView): void {
    const { chats, link, view } = this.#parts;
    // A failed start is reported by the exit of the process.
    if (!link.started) link.connection().catch(() => undefined);
    if (opened !== view) return;
    this.#restore();
    const session = this.#unloaded;
    this.#unloaded = undefined;
    if (session !== undefined) void chats.load(session);
  }

  #readyAfter(delay: number): void {
    const { clock, view } = this.#parts;
    clock.after(delay, () => this.ready(view));
  }

  /** At once, so that a new chat which the user asks for afterwards stays. */
  #restore(): void {
    const { workspaceState, chats, views, view } = this.#parts;
    if (this.#restored) return;
    this.#restored = true;
    const id = workspaceState.get<string>(SESSION_KEY);
    if (id === undefined || !view.session.blank) return;
    const session = chats.open(id);
    if (views.showing(session) !== undefined) return;
    view.show(session);
    this.#unloaded = session;
  }
}
