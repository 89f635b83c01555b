import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { ChatAction } from '../../webview/messages/chatState.ts';
import type { ToExtension } from '../../webview/messages/messages.ts';
import type { AskPresenter } from '../asks/askPresenter.ts';
import type { Asks, PendingAsk } from '../asks/asks.ts';
import type { TypingWatch } from '../asks/typingWatch.ts';
import type { Chat } from '../chat/chat.ts';
import type { HostLink } from '../host/hostLink.ts';
import { showPlace } from '../review/follow.ts';
import type { Proposals } from '../review/proposals.ts';
import { readSetting } from '../setup/settings.ts';
import type { Terminals } from '../terminal/terminals.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { ChatView } from './chatView.ts';
import { allowedLink } from './links.ts';
import { showStatus, statusText } from './statusBar.ts';

export interface ChatSurfaceParts {
  readonly context: vscode.ExtensionContext;
  readonly chat: Chat;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly presenter: AskPresenter;
  readonly proposals: Proposals;
  readonly terminals: Terminals;
  readonly typing: TypingWatch;
  readonly t: Translate;
  /** The session that was shown before the window was reloaded. */
  stored(): string | undefined;
}

export interface ChatSurface extends vscode.Disposable {
  readonly view: ChatView;
  /** Shows what an ask is about: its diff, or its card. */
  reveal(pending: PendingAsk): void;
}

const COMMAND_OF: Readonly<Record<ChatAction, readonly [string, ...unknown[]]>> = {
  newSession: ['gatehouse.newSession'],
  setModel: ['gatehouse.setModel'],
  setApiKey: ['gatehouse.setApiKey'],
  showLog: ['gatehouse.showLog'],
  restartHost: ['gatehouse.restartHost'],
  manageTrust: ['workbench.trust.manage'],
  openSettings: ['workbench.action.openSettings', '@ext:gatehouse.gatehouse'],
};

/** The chat's view, the status bar and the notice, kept in step with the chat. */
export function connectChat(parts: ChatSurfaceParts): ChatSurface {
  const { context, chat, t } = parts;
  const store = new DisposableStore();
  const view: ChatView = store.add(
    new ChatView({
      clock: systemClock,
      language: vscode.env.language,
      root: vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview'),
      joinPath: vscode.Uri.joinPath,
      state: () => chat.active.state,
      strings: () => webviewStrings(t),
      receive: (message) => receive(parts, view, message),
    }),
  );
  store.add(vscode.window.registerWebviewViewProvider(ChatView.id, view));
  store.add(chat.onDidChange((change) => view.change(change)));
  store.add(chat.onDidReturnText((text) => view.focusComposer(text)));
  keepStatus(parts, view, store);
  notifyWhenWaiting(parts, view, store);
  return {
    view,
    reveal: (pending) => reveal(parts, view, pending),
    dispose: () => store.dispose(),
  };
}

function reveal(
  { chat, proposals }: ChatSurfaceParts,
  view: ChatView,
  { ask, sessionId }: PendingAsk,
): void {
  const path =
    ask.kind === 'permission' && ask.diff ? proposals.firstPath(ask.toolCallId) : undefined;
  if (ask.kind === 'permission' && path !== undefined) {
    void proposals.show(ask.toolCallId, path, false, false);
    return;
  }
  void chat.open(sessionId);
  void vscode.commands.executeCommand(`${ChatView.id}.focus`);
  view.revealAsk(ask.id);
}

/** What each message of the page starts. */
function receive(parts: ChatSurfaceParts, view: ChatView, message: ToExtension): void {
  const { chat, asks, presenter, typing } = parts;
  switch (message.type) {
    case 'ready':
      firstLook(parts);
      break;
    case 'typed':
      typing.typed();
      break;
    case 'send':
      void chat.send(message.text);
      break;
    case 'unqueue':
      returnText(view, chat.active.dequeue(message.id));
      break;
    case 'stop':
      void chat.stop();
      break;
    case 'retry':
      void chat.retry();
      break;
    case 'answer':
      asks.answer(message.askId, message.answer);
      break;
    case 'openAsk':
      presenter.open(message.askId);
      break;
    default:
      open(parts, message);
  }
}

type Opening = Extract<
  ToExtension,
  { type: 'showTerminal' | 'openLocation' | 'showDiff' | 'openLink' | 'run' | 'showRule' }
>;

/** What only opens something. */
function open(parts: ChatSurfaceParts, message: Opening): void {
  switch (message.type) {
    case 'showTerminal':
      parts.terminals.show(message.terminalId);
      break;
    case 'openLocation':
      void showPlace(message.path, message.line, true);
      break;
    case 'showDiff':
      showDiff(parts, message.itemId, message.index);
      break;
    case 'openLink':
      openLink(message.href);
      break;
    case 'run':
      void vscode.commands.executeCommand(...COMMAND_OF[message.action]);
      break;
    case 'showRule':
      void vscode.commands.executeCommand(...COMMAND_OF.openSettings);
      break;
  }
}

/** The host starts with the first look at the chat, and the last session comes back. */
function firstLook({ chat, link, stored }: ChatSurfaceParts): void {
  if (link.started) return;
  const id = stored();
  // A host that cannot start tells so through its exit.
  if (id === undefined || chat.active.id !== undefined) link.connection().catch(() => undefined);
  else void chat.open(id);
}

function returnText(view: ChatView, text: string | undefined): void {
  if (text !== undefined) view.focusComposer(text);
}

function showDiff({ chat, proposals }: ChatSurfaceParts, itemId: string, index: number): void {
  const item = chat.active.state.items.findLast((each) => each.id === itemId);
  if (item?.kind !== 'tool') return;
  const path = item.diffs[index]?.path;
  if (path !== undefined) void proposals.show(itemId, path, item.status === 'completed', false);
}

function openLink(href: string): void {
  const link = allowedLink(href);
  if (link !== undefined) void vscode.env.openExternal(vscode.Uri.parse(link, true));
}

function keepStatus(
  { chat, asks, t }: ChatSurfaceParts,
  view: ChatView,
  store: DisposableStore,
): void {
  const item = store.add(
    vscode.window.createStatusBarItem('gatehouse.status', vscode.StatusBarAlignment.Left, 50),
  );
  const warning = new vscode.ThemeColor('statusBarItem.warningBackground');
  item.name = 'Gatehouse';
  let shown = '';
  const update = () => {
    const facts = { running: chat.running, waiting: asks.pending.length };
    const key = `${facts.running} ${facts.waiting}`;
    if (key === shown) return;
    shown = key;
    const status = statusText(facts, t);
    showStatus(item, status, warning);
    view.badge(facts.waiting, status.tooltip);
    void vscode.commands.executeCommand('setContext', 'gatehouse.running', facts.running);
    void vscode.commands.executeCommand('setContext', 'gatehouse.waiting', facts.waiting > 0);
  };
  update();
  item.show();
  store.add(chat.onDidChange(update));
  store.add(asks.onDidChange(update));
}

/** One notice for each new ask, where the setting wants it and the user is not looking already. */
function notifyWhenWaiting(
  { asks, t }: ChatSurfaceParts,
  view: ChatView,
  store: DisposableStore,
): void {
  let known = new Set<string>();
  store.add(
    asks.onDidChange(() => {
      const fresh = asks.pending.find(({ ask }) => !known.has(ask.id));
      known = new Set(asks.pending.map(({ ask }) => ask.id));
      const when = readSetting(vscode.workspace, 'notify.whenWaiting');
      if (fresh === undefined || when === 'off') return;
      if (when === 'windowNotFocused' && vscode.window.state.focused) return;
      void notify(fresh, view, t);
    }),
  );
}

async function notify({ ask }: PendingAsk, view: ChatView, t: Translate): Promise<void> {
  const what = ask.kind === 'permission' ? ask.title : ask.message;
  const show = t('Show');
  const chosen = await vscode.window.showInformationMessage(
    t('Gatehouse waits for you: {0}', what),
    show,
  );
  if (chosen !== show) return;
  await vscode.commands.executeCommand(`${ChatView.id}.focus`);
  view.revealAsk(ask.id);
}
