import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import type { ChatCommand } from '../../webview/messages/chatState.ts';
import type { AskPresenter } from '../asks/askPresenter.ts';
import type { Asks, QueuedAsk } from '../asks/asks.ts';
import type { Notify } from '../asks/steadyNotices.ts';
import type { TypingWatch } from '../asks/typingWatch.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import { choose } from '../chat/sessionChoices.ts';
import { hasSession } from '../chat/sessionPick.ts';
import type { Attaching } from '../context/attaching.ts';
import type { AttachedContents } from '../context/contents.ts';
import { openLinks } from '../context/openLinks.ts';
import { Outbox } from '../context/outbox.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { SandboxStore } from '../host/sandboxStore.ts';
import type { CallDiffs } from '../review/callDiffs.ts';
import type { Reviews } from '../review/editors/reviews.ts';
import { showLocation } from '../review/follow.ts';
import type { RuleDocuments } from '../rules/goToRule.ts';
import { readSetting } from '../setup/settings.ts';
import type { CallActions } from '../terminal/callActions.ts';
import type { Terminals } from '../terminal/terminals.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { ChatView, type ChatViewParts } from './chatView.ts';
import { ChatViews } from './chatViews.ts';
import { Notices } from './notice.ts';
import { openLink } from './openLink.ts';
import type { AllPagesFocus } from './pageFocus.ts';
import { type OpenAction, type Receiver, receive } from './receive.ts';
import { revertChange } from './revertChange.ts';
import { openReview, showDiff, showFragments } from './showDiff.ts';
import { keepStatus } from './statusBar.ts';
import { Unread } from './unread.ts';

export interface ViewParts {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly presenter: AskPresenter;
  readonly diffs: CallDiffs;
  readonly reviews: Reviews;
  readonly terminals: Terminals;
  readonly calls: CallActions;
  readonly typing: TypingWatch;
  readonly sandbox: SandboxStore;
  readonly chatFocus: AllPagesFocus;
  readonly notify: Notify;
  readonly rules: RuleDocuments;
  readonly contents: AttachedContents;
  readonly attaching: Attaching;
  readonly t: Translate;
}

export interface ConnectedViews extends vscode.Disposable {
  readonly views: ChatViews;
  /** Shows the diff or the card of a request. */
  reveal(pending: QueuedAsk): void;
}

/** Id of the side bar view, as declared in `package.json`. */
const SIDEBAR = 'gatehouse.chat';
/** Workspace state key of the session that the side bar shows. */
const SESSION_KEY = 'gatehouse.session';

const COMMANDS: Readonly<Record<ChatCommand, readonly [string, ...unknown[]]>> = {
  newSession: ['gatehouse.newSession'],
  setModel: ['gatehouse.setModel'],
  setApiKey: ['gatehouse.setApiKey'],
  showLog: ['gatehouse.showLog'],
  restartHost: ['gatehouse.restartHost'],
  manageTrust: ['workbench.trust.manage'],
  reviewRules: ['gatehouse.reviewRules'],
  openSettings: ['workbench.action.openSettings', '@ext:gatehouse.gatehouse'],
  reviewChanges: ['gatehouse.reviewChanges'],
  keepAllChanges: ['gatehouse.keepAllWritten', 'chat'],
  undoAllChanges: ['gatehouse.undoAllWritten', 'chat'],
};

/** Creates the side bar chat, the status bar item and notifications, and updates them. */
export function connectViews(parts: ViewParts): ConnectedViews {
  const { chats } = parts;
  const store = new DisposableStore();
  const sidebar = store.add(
    createView(parts, chats.blank(), {
      receive: (message, view) => receive(receiver, message, view),
      focus: () => vscode.commands.executeCommand(`${SIDEBAR}.focus`),
      remember: (id) => void parts.context.workspaceState.update(SESSION_KEY, id),
    }),
  );
  const views = new ChatViews(chats, sidebar);
  const outbox = new Outbox({ ...parts, views, window: vscode.window });
  const receiver: Receiver = {
    ...parts,
    views,
    openRule: (askId, near) => openAskRule(parts, askId, near),
    attach: (action, view) => parts.attaching.act(action, view),
    ready: () => startHost(parts, views),
    send: (session, text, attached) => outbox.send(session, text, attached),
    showRequest: () => {
      const { current } = parts.asks;
      if (current !== undefined) void focusAsk(parts, views, current);
    },
    open: (session, action) => open(parts, session, action),
  };
  store.add(
    vscode.window.registerWebviewViewProvider(SIDEBAR, {
      resolveWebviewView: (page) => sidebar.attach(page),
    }),
  );
  store.add(openLinks(views, (id) => isKnown(parts, id), parts.t));
  store.add(
    chats.onDidReturnText(({ session, attached }) => {
      void outbox.putBack(attached);
      views.showing(session)?.takeReturned();
    }),
  );
  const notices = store.add(createNotices(parts, views));
  const unread = store.add(createUnread(parts, views, (session) => notices.ended(session)));
  store.add(vscode.window.onDidChangeWindowState(() => unread.look()));
  store.add(parts.chatFocus.onDidChange(() => unread.look()));
  store.add(keepStatus({ ...parts, unread }, sidebar));
  return {
    views,
    reveal: (pending) => void reveal(parts, views, pending),
    dispose: () => store.dispose(),
  };
}

/** Whether a session is open here, or the host has it. */
async function isKnown({ chats, link }: ViewParts, id: string): Promise<boolean> {
  return chats.withId(id) !== undefined || hasSession(await link.connection(), id);
}

function createNotices(parts: ViewParts, views: ChatViews): Notices {
  const { asks, t } = parts;
  return new Notices({
    ...{ asks, t, clock: systemClock, notify: parts.notify },
    windowFocused: () => vscode.window.state.focused,
    settings: () => ({
      whenWaiting: readSetting(vscode.workspace, 'notify.whenWaiting'),
      whenDone: readSetting(vscode.workspace, 'notify.whenDone'),
      sound: readSetting(vscode.workspace, 'notify.sound'),
      system: readSetting(vscode.workspace, 'notify.system'),
    }),
    alert: (alert) => views.all.find(({ visible }) => visible)?.alert(alert),
    goTo: (pending) => void focusAsk(parts, views, pending),
    open: (session) => void openSession(views, session),
  });
}

function createUnread(
  { chats }: ViewParts,
  views: ChatViews,
  ended: (session: ChatSession) => void,
): Unread {
  const isSeen = (session: ChatSession) =>
    vscode.window.state.focused && views.showing(session)?.visible === true;
  return new Unread({ chats, ended, isSeen });
}

async function openSession(views: ChatViews, session: ChatSession): Promise<void> {
  const view =
    views.showing(session) ?? (session.id === undefined ? undefined : await views.open(session.id));
  await view?.focus();
}

/** Creates a view of a session. `own` holds what differs between side bar and panel. */
function createView(
  { context, chats, chatFocus, t }: ViewParts,
  session: ChatSession,
  own: Pick<ChatViewParts, 'receive' | 'focus' | 'remember'>,
): ChatView {
  const parts: ChatViewParts = {
    clock: systemClock,
    language: vscode.env.language,
    root: vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview'),
    joinPath: vscode.Uri.joinPath,
    chats,
    chatFocus,
    strings: () => webviewStrings(t),
    ...own,
  };
  return new ChatView(parts, session);
}

/** Opens the review of a request, or its read-only diff, or else its card. */
async function reveal(parts: ViewParts, views: ChatViews, pending: QueuedAsk): Promise<void> {
  const { ask, sessionId } = pending;
  if (ask.kind === 'permission' && ask.diff) {
    if (await openReview(parts, ask.id)) return;
    const call = { sessionId, toolCallId: ask.toolCallId };
    if (await showFragments(parts, call)) return;
  }
  await focusAsk(parts, views, pending);
}

/** Makes a request current, shows its session and focuses its card. */
async function focusAsk(
  { asks }: ViewParts,
  views: ChatViews,
  { ask, sessionId }: QueuedAsk,
): Promise<void> {
  asks.select(ask.id);
  const view = await views.open(sessionId);
  await view.focus();
  view.revealAsk(ask.id);
}

/** Starts the host when a chat is first shown, and restores the last session. */
function startHost({ context, link }: ViewParts, views: ChatViews): void {
  if (link.started) return;
  const id = context.workspaceState.get<string>(SESSION_KEY);
  // A failed start is reported by the exit of the process.
  if (id === undefined || views.current.session.id !== undefined)
    link.connection().catch(() => undefined);
  else void views.open(id);
}

function open(parts: ViewParts, session: ChatSession, action: OpenAction): void {
  switch (action.type) {
    case 'showTerminal':
      parts.terminals.show(action.terminalId);
      break;
    case 'openLocation':
      void showLocation(action.path, action.line, true);
      break;
    case 'showDiff':
      void showDiff(parts, session, action.itemId, action.index);
      break;
    case 'revert':
      if (session.id !== undefined) {
        void revertChange(parts, { sessionId: session.id, toolCallId: action.itemId });
      }
      break;
    case 'stopCommand':
    case 'continueInBackground':
    case 'runInTerminal':
      parts.calls.command(action.type, session.tool(action.itemId));
      break;
    case 'copyOutput':
    case 'openOutput':
      void parts.calls.output(action.type, session.id, action.itemId);
      break;
    case 'copyText':
      void vscode.env.clipboard.writeText(action.text);
      break;
    case 'openLink':
      void openLink(action.href, parts.t);
      break;
    case 'run':
      void vscode.commands.executeCommand(...COMMANDS[action.command]);
      break;
    case 'choose':
      choose({ ...parts, window: vscode.window }, session, action).catch((error: unknown) => {
        void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
      });
      break;
    case 'showRule':
      openRules(parts, session.tool(action.itemId)?.rules ?? [], session.id);
      break;
  }
}

function openAskRule(parts: ViewParts, askId: string, near: boolean): void {
  const { ask, sessionId } = parts.asks.get(askId) ?? {};
  if (ask?.kind !== 'permission') return;
  const rule = near ? ask.near?.rule : ask.whyRule;
  if (rule !== undefined) openRules(parts, [rule], sessionId);
}

function openRules(
  { rules, t }: ViewParts,
  references: readonly RuleReference[],
  sessionId: string | undefined,
): void {
  rules.choose(references, sessionId).catch((error: unknown) => {
    void vscode.window.showErrorMessage(
      plainNotice(t('Could not open the rule: {0}', getMessage(error))),
    );
  });
}
