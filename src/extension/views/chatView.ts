import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Chip, FoundContext, ReadResult } from '../../webview/messages/attached.ts';
import type { PageAlert, ToWebview } from '../../webview/messages/messages.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { ChatPage, ChatViewParts, PageMessage } from './chatPage.ts';
import { FramePoster } from './framePoster.ts';
import { findLast, keepScreen, type LastScreen, noteSeen, pageHtml } from './page/pageHtml.ts';
import { FocusState } from './pageFocus.ts';
import { parseMessage } from './parseMessage.ts';

/**
 * A view of a session. VS Code may dispose of the page at any time, so the state is kept in the
 * session.
 */
export class ChatView implements Disposable {
  readonly #parts: ChatViewParts;
  readonly #frames: FramePoster;
  readonly #store = new DisposableStore();
  readonly pageFocus: FocusState;
  #session: ChatSession;
  #watching: Disposable;
  #remembered: string | undefined;
  #page: ChatPage | undefined;
  /** The page has requested its state and can receive changes. */
  #ready = false;
  /** The page was sent a session that it has not asked for yet. */
  #early = false;
  #unsent: readonly ToWebview[] = [];
  #badge: vscode.ViewBadge | undefined;

  constructor(parts: ChatViewParts, session: ChatSession) {
    this.#parts = parts;
    this.#session = session;
    this.#watching = session.watch();
    this.pageFocus = new FocusState(parts.clock, (ping) =>
      this.#post({ type: 'ping', session: this.#session.key, ping }),
    );
    this.#store.add(parts.chatFocus.add(this.pageFocus));
    this.#frames = this.#store.add(
      new FramePoster(
        (changes) => this.#post({ type: 'changes', session: this.#session.key, changes }),
        parts.clock,
      ),
    );
    this.#store.add(
      parts.chats.onDidChange(({ session: changed, change }) => {
        if (changed !== this.#session) return;
        this.#remember();
        this.#showTitle();
        if (this.#ready) this.#frames.add(change);
        else if (change.type === 'reset') this.#postEarly();
      }),
    );
  }

  /** Whether the view is an editor. */
  get inEditor(): boolean {
    return this.#page?.inEditor === true;
  }

  /** The session that the view shows. */
  get session(): ChatSession {
    return this.#session;
  }

  /** Shows another session. Unposted changes to the previous one are dropped. */
  show(session: ChatSession): void {
    if (session === this.#session) {
      // A new chat that the user asks for before the page has loaded is no session to restore.
      if (session.blank) this.#parts.remember?.(undefined);
      return;
    }
    const left = this.#session;
    this.#watching.dispose();
    this.#session = session;
    this.#watching = session.watch();
    this.#showTitle();
    this.#frames.clear();
    if (this.#ready) {
      this.#postSnapshot();
      this.takeReturned();
    } else if (this.#early) this.#postSnapshot();
    this.#remember();
    this.#parts.left?.(left);
  }

  /** Loads the page. VS Code may dispose of it at any time and attach another one. */
  attach(page: ChatPage): void {
    const { webview } = page;
    let last = findLast(this.#parts.screens, this.#session);
    const store = new DisposableStore();
    this.#page = page;
    page.badge = this.#badge;
    this.#showTitle();
    this.#ready = false;
    this.#early = false;
    this.pageFocus.leave();
    webview.options = { enableScripts: true, localResourceRoots: [this.#parts.root] };
    store.add(webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    store.add(
      page.onDidChangeVisibility(() => {
        // VS Code disposes of hidden pages; the next one requests a snapshot.
        if (page.visible) return;
        // What was kept from an earlier window is old by then.
        if (last !== undefined) webview.html = this.#html(page, undefined);
        last = undefined;
        this.#ready = false;
        this.#early = false;
        this.pageFocus.leave();
      }),
    );
    page.onDidDispose(() => {
      store.dispose();
      if (this.#page !== page) return;
      this.#page = undefined;
      this.#ready = false;
      this.pageFocus.leave();
    });
    webview.html = this.#html(page, last);
    this.#postEarly();
  }

  focus(): Thenable<unknown> {
    return this.#parts.focus();
  }

  /** Shows the view, and puts the cursor into its message. */
  async compose(): Promise<void> {
    await this.focus();
    this.focusComposer();
  }

  focusComposer(): void {
    this.#whenReady({ type: 'focusComposer', session: this.#session.key });
  }

  /** Puts what returned to the session into the composer, as soon as there is a page. */
  takeReturned(): void {
    if (!this.#ready) return;
    this.#frames.flush();
    const { key: session } = this.#session;
    for (const { text, attached } of this.#session.takeReturned()) {
      const chips = attached.map(({ chip }) => chip);
      const added = { text, ...(chips.length > 0 && { attached: chips }) };
      this.#post({ type: 'focusComposer', session, ...added });
    }
  }

  /** Appends text to the composer and focuses it. */
  appendText(text: string): void {
    this.#whenReady({ type: 'appendText', session: this.#session.key, text });
  }

  /** Adds to the message that is being written, and focuses the composer. */
  addToMessage(attached: readonly Chip[], text = ''): void {
    this.#whenReady({ type: 'focusComposer', session: this.#session.key, text, attached });
  }

  /** Tells the page what became of a chip that was being read. */
  attached(request: string, result: ReadResult): void {
    this.#whenReady({ type: 'attached', session: this.#session.key, request, result });
  }

  /** Has the page copy the plain text of a message that it shows. */
  copyMessage(id: string): void {
    this.#whenReady({ type: 'copyMessage', session: this.#session.key, id });
  }

  /** Answers a look-up of the page. */
  found(request: number, entries: readonly FoundContext[]): void {
    this.#post({ type: 'found', session: this.#session.key, request, entries });
  }

  /** Whether the user can see the page. */
  get visible(): boolean {
    return this.#ready && this.#page?.visible === true;
  }

  revealAsk(askId: string): void {
    this.#whenReady({ type: 'revealAsk', session: this.#session.key, askId });
  }

  revealItem(id: string): void {
    this.#whenReady({ type: 'revealItem', session: this.#session.key, id });
  }

  /** Closes an editor. A view of the side bar stays. */
  close(): void {
    this.#page?.close?.();
  }

  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.#badge = badge;
    if (this.#page !== undefined) this.#page.badge = badge;
  }

  /** Plays a sound or shows a notification of the system, if the user can see the page. */
  alert(alert: PageAlert): void {
    if (this.visible) this.#post({ type: 'alert', session: this.#session.key, ...alert });
  }

  /** Makes a screen reader say the text, if the user can see the page. */
  announce(text: string): void {
    if (this.visible) this.#post({ type: 'announce', session: this.#session.key, text });
  }

  dispose(): void {
    this.#store.dispose();
    this.#watching.dispose();
    this.#unsent = [];
  }

  #html({ webview, inEditor = false }: ChatPage, last: LastScreen | undefined): string {
    const { root, language, files } = this.#parts;
    const { cspSource } = webview;
    const folder = webview.asWebviewUri(root).toString();
    return pageHtml({ cspSource, folder, language, inEditor, files }, last);
  }

  #receive(value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) return;
    if (message.type === 'focus') this.pageFocus.report(message);
    else if (message.type === 'screen') keepScreen(this.#parts.screens, this.#session, message);
    else if (message.type === 'pong') this.pageFocus.pong(message.ping, message);
    else this.#receiveOther(message);
  }

  #receiveOther(message: PageMessage): void {
    if (message.type === 'ready') {
      this.#frames.clear();
      this.#ready = true;
      this.#postSnapshot();
      const unsent = this.#unsent;
      this.#unsent = [];
      for (const each of unsent) this.#postKept(each);
      this.takeReturned();
    }
    this.#parts.receive(message, this);
  }

  #showTitle(): void {
    const { title } = this.#session.state;
    if (this.#page !== undefined && this.#page.title !== title) this.#page.title = title;
  }

  #remember(): void {
    const { id } = this.#session;
    if (id === this.#remembered) return;
    this.#remembered = id;
    this.#parts.remember?.(id);
  }

  #whenReady(message: ToWebview): void {
    if (this.#ready) {
      this.#frames.flush();
      this.#post(message);
    } else this.#unsent = [...this.#unsent, message];
  }

  /** Posts what waited for the page. The message that is written is the page's, whatever it shows. */
  #postKept(message: ToWebview): void {
    const { key: session } = this.#session;
    const { type } = message;
    const composes = type === 'focusComposer' || type === 'appendText' || type === 'attached';
    if (composes || message.session === session) this.#post({ ...message, session });
  }

  /**
   * Posts a loaded session before the page asks for it: VS Code hands it over as soon as the page runs, and
   * while a window opens each message takes long. The page gets it again when it asks, with what changed.
   */
  #postEarly(): void {
    if (this.#page?.visible !== true || !this.#session.hasHistory) return;
    this.#early = true;
    this.#postSnapshot();
  }

  #postSnapshot(): void {
    const { key: session, state } = this.#session;
    if (this.#ready) noteSeen(this.#session);
    this.#post({ type: 'snapshot', session, state, strings: this.#parts.strings() });
  }

  #post(message: ToWebview): void {
    void this.#page?.webview.postMessage(message);
  }
}
