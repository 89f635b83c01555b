import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { ChatState, StateChange } from '../../webview/messages/chatState.ts';
import type { Strings, ToExtension, ToWebview } from '../../webview/messages/messages.ts';
import { chatHtml } from './chatHtml.ts';
import { FramePoster } from './framePoster.ts';
import { parseMessage } from './parseMessage.ts';

export interface ChatViewParts {
  readonly clock: Clock;
  readonly language: string;
  /** `dist/webview`: the only folder the page may load from. */
  readonly root: vscode.Uri;
  joinPath(base: vscode.Uri, name: string): vscode.Uri;
  state(): ChatState;
  strings(): Strings;
  receive(message: ToExtension): void;
}

/** The chat's view. The page may be thrown away at any time: the state lives here, not there. */
export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = 'gatehouse.chat';
  readonly #parts: ChatViewParts;
  readonly #frames: FramePoster;
  #view: vscode.WebviewView | undefined;
  /** The page has asked for its state and understands changes now. */
  #ready = false;
  #waiting: ToWebview[] = [];

  constructor(parts: ChatViewParts) {
    this.#parts = parts;
    this.#frames = new FramePoster(
      (changes) => this.#post({ type: 'changes', changes }),
      parts.clock,
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { root, joinPath, language } = this.#parts;
    const store = new DisposableStore();
    this.#view = view;
    this.#ready = false;
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    store.add(view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    store.add(
      view.onDidChangeVisibility(() => {
        // A hidden page is thrown away; the next one asks for a snapshot.
        if (!view.visible) this.#ready = false;
      }),
    );
    view.onDidDispose(() => {
      store.dispose();
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = chatHtml({
      cspSource: view.webview.cspSource,
      nonce: crypto.randomUUID(),
      script: view.webview.asWebviewUri(joinPath(root, 'webview.js')).toString(),
      style: view.webview.asWebviewUri(joinPath(root, 'webview.css')).toString(),
      language,
      title: 'Gatehouse',
    });
  }

  change(change: StateChange): void {
    if (this.#ready) this.#frames.add(change);
  }

  focusComposer(text?: string): void {
    this.#whenReady({ type: 'focusComposer', ...(text !== undefined && { text }) });
  }

  revealAsk(askId: string): void {
    this.#whenReady({ type: 'revealAsk', askId });
  }

  /** How much waits, on the view's icon. */
  badge(waiting: number, tooltip: string): void {
    if (this.#view === undefined) return;
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
  }

  dispose(): void {
    this.#frames.dispose();
    this.#waiting = [];
  }

  #receive(value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) return;
    if (message.type === 'ready') {
      this.#frames.clear();
      this.#ready = true;
      this.#post({ type: 'snapshot', state: this.#parts.state(), strings: this.#parts.strings() });
      for (const waiting of this.#waiting.splice(0)) this.#post(waiting);
    }
    this.#parts.receive(message);
  }

  #whenReady(message: ToWebview): void {
    if (this.#ready) {
      this.#frames.flush();
      this.#post(message);
    } else this.#waiting = [message];
  }

  #post(message: ToWebview): void {
    void this.#view?.webview.postMessage(message);
  }
}
