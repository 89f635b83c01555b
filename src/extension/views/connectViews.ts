import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { AskPresenter } from '../asks/askPresenter.ts';
import type { Asks, QueuedAsk } from '../asks/asks.ts';
import type { Notify } from '../asks/steadyNotices.ts';
import type { TypingWatch } from '../asks/typingWatch.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import { hasSession, listSessionIds } from '../chat/sessionPick.ts';
import { Subagents } from '../chat/subagents/subagents.ts';
import type { PathLabel } from '../chat/toolItem.ts';
import type { Attaching } from '../context/attaching.ts';
import type { AttachedContents } from '../context/contents.ts';
import { openLinks } from '../context/openLinks.ts';
import { Outbox } from '../context/outbox.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { SandboxStore } from '../host/sandboxStore.ts';
import type { CallDiffs } from '../review/callDiffs.ts';
import type { Reviews } from '../review/editors/reviews.ts';
import type { RuleDocuments } from '../rules/goToRule.ts';
import { readSetting } from '../setup/settings.ts';
import type { CallActions } from '../terminal/callActions.ts';
import type { Terminals } from '../terminal/terminals.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { open, openAskRule } from './cardActions/openAction.ts';
import { openReview, showFragments } from './cardActions/showDiff.ts';
import type { ChatPage, ChatViewParts } from './chatPage.ts';
import { ChatView } from './chatView.ts';
import { ChatViews } from './chatViews.ts';
import { Notices } from './notice.ts';
import { readPageFiles } from './page/pageFiles.ts';
import { ScreenStore } from './page/screenStore.ts';
import type { AllPagesFocus } from './pageFocus.ts';
import { type Receiver, receive } from './receive.ts';
import { SENDING, SESSION_KEY, Sidebar } from './sidebar.ts';
import { keepStatus } from './statusBar.ts';
import { Unread } from './unread.ts';

export interface ViewParts {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly log: vscode.LogOutputChannel;
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
  readonly label: PathLabel;
}

export interface ConnectedViews extends vscode.Disposable {
  readonly views: ChatViews;
  readonly unread: Unread;
  /** Fires with a session that no view shows any more. */
  readonly onDidLeave: Event<LeftSession>;
  /** The last screens of sessions. */
  readonly screens: ScreenStore;
  /** Adds a view of a session, or of the stored session with an id, or of a new chat. */
  add(page: EditorPage, session: ChatSession | string | undefined): ChatView;
  /** Shows the diff or the card of a request. */
  reveal(pending: QueuedAsk): void;
}

export interface LeftSession {
  readonly session: ChatSession;
  readonly inEditor: boolean;
}

/** A page in an editor. */
export interface EditorPage extends ChatPage {
  reveal(): void;
  /** Called with the host's id of the session that the page shows. */
  shows(sessionId: string | undefined): void;
}

/** Id of the side bar view, as declared in `package.json`. */
const SIDEBAR = 'gatehouse.chat';

/** Creates the side bar chat, the status bar item and notifications, and updates them. */
export function connectViews(given: ViewParts): ConnectedViews {
  const { chats } = given;
  const store = new DisposableStore();
  const left = store.add(new Emitter<LeftSession>());
  const screens = store.add(createScreens(given));
  const parts = { ...given, screens: screens.store };
  const toOwn = (inEditor: boolean): Pick<ChatViewParts, 'receive' | 'left'> => ({
    receive: (message, view) => receive(receiver, message, view),
    left: (session) => session.watched || left.fire({ session, inEditor }),
  });
  const sidebar = store.add(
    createView(parts, chats.blank(), {
      ...toOwn(false),
      focus: () => vscode.commands.executeCommand(`${SIDEBAR}.focus`),
      remember: (id) => void parts.context.workspaceState.update(SESSION_KEY, id),
    }),
  );
  const views = new ChatViews(chats, sidebar);
  const outbox = new Outbox({ ...parts, views, window: vscode.window });
  const clock = systemClock;
  const subagents = store.add(new Subagents({ ...parts, clock }));
  const { workspaceState } = parts.context;
  const opening = new Sidebar({ ...parts, workspaceState, views, view: sidebar, clock });
  const ready = (view: ChatView) => opening.ready(view);
  const receiver = { ...createReceiver(parts, views, outbox, ready), subagents };
  store.add(registerSidebar(opening));
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
    ...{ views, unread, onDidLeave: left.event, screens: screens.store },
    add: (page, session) => addEditor(parts, views, toOwn(true), page, session),
    reveal: (pending) => void reveal(parts, views, pending),
    dispose: () => store.dispose(),
  };
}

type OwnParts = ViewParts & Pick<ConnectedViews, 'screens'>;

/** Milliseconds after which the host, once it has opened its session, is asked which others it has. */
const SETTLED = 30_000;

function createScreens({ context, link, log }: ViewParts) {
  const { fsPath } = context.storageUri ?? context.globalStorageUri;
  const version = String(context.extension.packageJSON.version);
  const store = new ScreenStore(fsPath, version, (message) => log.warn(message));
  const sweep = () => void store.sweep(async () => listSessionIds(await link.connection()));
  const timers = new DisposableStore();
  timers.add(link.onDidConnect(() => timers.add(systemClock.after(SETTLED, sweep))));
  return { store, dispose: () => timers.dispose() };
}

function registerSidebar(opening: Sidebar): vscode.Disposable {
  opening.expect();
  return vscode.window.registerWebviewViewProvider(SIDEBAR, {
    resolveWebviewView: (page) => opening.resolve(page),
  });
}

function createReceiver(
  parts: ViewParts,
  views: ChatViews,
  outbox: Outbox,
  ready: (view: ChatView) => void,
): Omit<Receiver, 'subagents'> {
  const focusChat = (session: ChatSession) => void views.showing(session)?.focus();
  return {
    ...{ ...parts, views, ready },
    openRule: (askId, near) => openAskRule(parts, askId, near),
    attach: (action, view) => parts.attaching.act(action, view),
    send: (session, text, attached) => outbox.send(session, text, attached),
    showRequest: () => {
      const { current } = parts.asks;
      if (current !== undefined) void focusAsk(parts, views, current);
    },
    open: (session, action) => open({ ...parts, focusChat }, session, action),
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
  { context, chats, chatFocus, screens, t }: OwnParts,
  session: ChatSession,
  own: Pick<ChatViewParts, 'receive' | 'focus' | 'remember' | 'left'>,
): ChatView {
  const root = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
  const parts: ChatViewParts = {
    clock: systemClock,
    language: vscode.env.language,
    root,
    files: () => readPageFiles(root.fsPath, t),
    chats,
    chatFocus,
    screens,
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

/** Adds the view of a chat in an editor, until that is closed. */
function addEditor(
  parts: OwnParts,
  views: ChatViews,
  own: Pick<ChatViewParts, 'receive' | 'left'>,
  page: EditorPage,
  shown: ChatSession | string | undefined,
): ChatView {
  const { chats } = parts;
  const session = typeof shown === 'string' ? chats.open(shown) : (shown ?? chats.blank());
  const tell = () => {
    const { key, id } = view.session;
    page.shows(id);
    void page.webview.postMessage({
      ...{ type: 'shows', session: key },
      ...(id !== undefined && { sessionId: id }),
    });
  };
  const view = createView(parts, session, {
    ...own,
    receive: (message, from) => {
      own.receive(message, from);
      if (message.type === 'ready') tell();
    },
    focus: async () => page.reveal(),
    remember: tell,
  });
  const added = views.add(view);
  page.onDidDispose(() => {
    added.dispose();
    view.dispose();
    own.left?.(view.session);
  });
  view.attach(page);
  systemClock.after(SENDING, () => void chats.load(session));
  page.shows(session.id);
  return view;
}
