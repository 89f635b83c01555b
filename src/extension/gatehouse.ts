import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { toVisible } from '../base/text/visibleText.ts';
import { createActions } from './actions.ts';
import { showAsk } from './asks/askPicks.ts';
import { AskPresenter } from './asks/askPresenter.ts';
import { Asks, type CurrentAsk } from './asks/asks.ts';
import { startsWithPick } from './asks/questionPick.ts';
import type { LiveTitle } from './asks/safePick.ts';
import { TypingWatch } from './asks/typingWatch.ts';
import { Chats, type ChatsParts } from './chat/chats.ts';
import { followProposals } from './chat/proposalCards.ts';
import { restoreWaiting } from './chat/restoreWaiting.ts';
import { showUnreviewed } from './chat/unreviewedItems.ts';
import type { Actions } from './commands.ts';
import { type ConnectedHost, connectHost, watchSettings } from './connectHost.ts';
import { connectRuleEditing } from './connectRuleEditing.ts';
import { type ConnectedSessions, connectSessions } from './connectSessions.ts';
import { Attaching } from './context/attaching.ts';
import { offerCodeActions } from './context/codeActions.ts';
import { AttachedContents } from './context/contents.ts';
import { TerminalOutput } from './context/terminalOutput.ts';
import { connectTools } from './declared/connectTools.ts';
import type { RuleFacts } from './declared/languageClient.ts';
import { diffEditor, notify, pickWindow, translate as t, typingEvents } from './editor.ts';
import type { HostLink } from './host/hostLink.ts';
import { SandboxStore } from './host/sandboxStore.ts';
import { createServerContents } from './mcp/serverContents.ts';
import { offerNext } from './models/offerNext.ts';
import { createStart } from './models/startState.ts';
import { type ConnectedReviews, connectReviews } from './review/connectReviews.ts';
import { createFollower } from './review/follow.ts';
import type { RuleDocuments } from './rules/goToRule.ts';
import { createRulesView } from './rules/rulesView.ts';
import { createSecrets } from './setup/secrets.ts';
import { readSetting } from './setup/settings.ts';
import { type ProblemCounts, sharedState } from './sharedState.ts';
import { requestPosition } from './text/requestPosition.ts';
import { connectUnreviewed } from './unreviewed/connectUnreviewed.ts';
import { UnreviewedStore } from './unreviewed/unreviewedStore.ts';
import { UnsentMessages } from './unsentMessages.ts';
import type { ChatView } from './views/chatView.ts';
import type { ChatViews } from './views/chatViews.ts';
import { type ConnectedViews, connectViews } from './views/connectViews.ts';
import { AllPagesFocus } from './views/pageFocus.ts';

export interface Gatehouse extends vscode.Disposable {
  readonly actions: Actions;
  readonly asks: Asks;
  readonly review: ConnectedReviews;
  /** For the language client of settings files. */
  readonly ruleFacts: RuleFacts;
  readonly rules: RuleDocuments;
  readonly chats: Chats;
  readonly sessions: ConnectedSessions;
  /** Resolves when the host has exited. */
  stopped(): Promise<void>;
}

/** Creates and connects the parts of the extension. Only registers listeners. */
export function createGatehouse(context: vscode.ExtensionContext): Gatehouse {
  const store = new DisposableStore();
  const editor = createEditorParts(context, store, {
    link: () => link,
    announce: (text) => connected.views.announce(text),
  });
  const host = connectHost({
    ...{ ...editor, context, store, label: pathLabel },
    chats: () => chats,
  });
  const { asks, log } = editor;
  const { link, process }: ConnectedHost = host;
  let problems: ProblemCounts = { brokenRules: 0, waitingRules: 0 };
  const unsent = new UnsentMessages(context.workspaceState, t, () => chats.unsent);
  const own = { unsent, problems: () => problems, store };
  const chats: Chats = createChats(context, editor, link, own);
  const cwd = () => sessionFolders(context).cwd;
  store.add(restoreWaiting({ chats, link, cwd, log: (message) => log.warn(message) }));
  const proposals = { asks, chats, clock: systemClock, files: reviewedFiles(editor) };
  store.add(followProposals({ ...proposals, onDidChangeFile: editor.review.store.onDidChange }));
  const presenter: AskPresenter = store.add(createPresenter(editor, () => connected));
  const connected: ConnectedViews = store.add(
    connectViews({ ...editor, ...host, context, chats, presenter, notify, t, label: pathLabel }),
  );
  const foundProblems = (found: ProblemCounts) => {
    problems = found;
    chats.refresh();
  };
  const settings = { context, link, log, changed: () => chats.refresh(), foundProblems };
  store.add(watchSettings(settings));
  const { written } = store.add(
    connectWritten(editor, { link, announce: (text) => connected.views.announce(text) }, chats),
  );
  const isWatched = (id: string) => chats.withId(id)?.watched === true;
  store.add(editor.asks.onDidChange(() => void followCurrent(editor, isWatched)));
  const session = () => connected.views.current.session.id;
  const trees = connectTrees(store, context, { ...host, connected, asks, chats, log, session });
  const parts = { ...editor, ...host, ...connected, chats, presenter, ...trees, written };
  const { ruleFacts, sessions } = trees;
  const others = { asks, chats, review: editor.review, rules: host.rules, ruleFacts, sessions };
  const stopped = () => {
    unsent.close();
    return process.stopped();
  };
  return { actions: createActions(parts), ...others, stopped, dispose: () => store.dispose() };
}

function createChats(
  context: vscode.ExtensionContext,
  { asks, log, terminal }: EditorParts,
  link: HostLink,
  own: Pick<ChatsParts, 'unsent'> & { readonly store: DisposableStore; problems(): ProblemCounts },
): Chats {
  const start = own.store.add(createStart({ terminal, link, log, chats: () => chats }));
  const chats = new Chats({
    ...{ link, asks, t, clock: systemClock, label: pathLabel },
    folders: () => sessionFolders(context),
    shared: () => sharedState(own.problems(), start.state),
    unsent: own.unsent,
    log: (message) => log.warn(message),
  });
  own.store.add(offerNext({ chats, link, log: (message) => log.warn(message) }));
  return chats;
}

/** The views of sessions, tools and rules, and what editors of settings show of the session that is shown. */
function connectTrees(
  store: DisposableStore,
  context: vscode.ExtensionContext,
  parts: ConnectedHost & {
    readonly connected: ConnectedViews;
    readonly chats: Chats;
    readonly asks: Asks;
    readonly log: vscode.LogOutputChannel;
    session(): string | undefined;
  },
) {
  const { asks, link, log, session, explained } = parts;
  const folders = () => listedFolders(context);
  return {
    ruleFacts: store.add(connectRuleEditing({ context, asks, link, log, session })),
    tools: store.add(connectTools(context, link, { ...parts, t, notify, show: explained.show })),
    rulesView: store.add(createRulesView({ ...parts, t, notify })),
    sessions: store.add(
      connectSessions({ ...parts.connected, ...parts, context, t, folders, label: pathLabel }),
    ),
  };
}

function reviewedFiles({ reviews }: EditorParts) {
  return (askId: string) => reviews.get(askId)?.files ?? [];
}

/** The surfaces of changes that are on disk and await a review. */
function connectWritten(
  { unreviewed }: EditorParts,
  { link, announce }: { readonly link: HostLink; announce(text: string): void },
  chats: Chats,
) {
  const connected = connectUnreviewed(unreviewed, link, { announce, t });
  const shown = unreviewed.onDidChange(() => showUnreviewed(chats, unreviewed, pathLabel));
  return {
    written: connected.actions,
    dispose: () => {
      shown.dispose();
      connected.dispose();
    },
  };
}

type EditorParts = ReturnType<typeof createEditorParts>;

/** Creates the parts that only depend on the editor. */
function createEditorParts(
  context: vscode.ExtensionContext,
  store: DisposableStore,
  later: { link(): HostLink; announce(text: string): void },
) {
  const log = store.add(vscode.window.createOutputChannel('Gatehouse', { log: true }));
  const unreviewed = store.add(
    new UnreviewedStore(async ({ sessionId, path: file }) =>
      (await later.link().connection()).call('unreviewed', { sessionId, path: file }),
    ),
  );
  const folder = (context.storageUri ?? context.globalStorageUri).fsPath;
  const review = store.add(
    connectReviews({ folder, editor: diffEditor, log, unreviewed, announce: later.announce, t }),
  );
  return {
    log,
    review,
    unreviewed,
    sandbox: store.add(new SandboxStore()),
    ...createContext(folder, store, later.link),
    reviews: review.reviews,
    diffs: review.diffs,
    secrets: createSecrets(context.secrets),
    memory: context.globalState,
    asks: new Asks(systemClock),
    chatFocus: new AllPagesFocus(),
    typing: store.add(new TypingWatch(typingEvents, systemClock)),
    follower: store.add(createFollower()),
  };
}

/** What can be attached to messages. */
function createContext(folder: string, store: DisposableStore, link: () => HostLink) {
  const contents = new AttachedContents(path.join(folder, 'attached'));
  const terminal = store.add(new TerminalOutput(vscode.window));
  store.add(offerCodeActions(t, () => readSetting(vscode.workspace, 'codeActions')));
  const servers = createServerContents({ link, window: vscode.window, clock: systemClock, t });
  return { contents, terminal, attaching: new Attaching(contents, terminal, servers, t) };
}

/**
 * Only the current request has a tab. It opens by itself if `gatehouse.edits.openDiff` says so and a
 * view shows its session.
 */
async function followCurrent(
  { asks, reviews, log }: EditorParts,
  isWatched: (sessionId: string) => boolean,
): Promise<void> {
  const { current } = asks;
  const id = current?.ask.id;
  if (id === reviews.current) return;
  const chosen = readSetting(vscode.workspace, 'edits.openDiff');
  // A plan is there to be read.
  const when = chosen === 'onClick' && reviews.isDocument(id) ? 'background' : chosen;
  try {
    await reviews.setCurrent(id, (each) => asks.get(each) !== undefined);
    const opens = current !== undefined && when !== 'onClick' && isWatched(current.sessionId);
    if (opens && id !== undefined) await reviews.open(id, when === 'focus');
  } catch (error) {
    log.error(`Could not open a diff: ${String(error)}`);
  }
}

function createPresenter(
  { asks, typing, chatFocus, reviews, log }: EditorParts,
  connected: () => ConnectedViews,
): AskPresenter {
  return new AskPresenter({
    ...{ asks, typing, clock: systemClock },
    focus: chatFocus,
    show: (current, openedBy, signal) => {
      const position = livePosition(asks, current.ask.id);
      const keepEntries = (id: string, kept: ReadonlySet<string>) =>
        asks.keepEntries(id, (entry) => kept.has(entry.id));
      const parts = { window: pickWindow, t, openedBy, position, keepEntries };
      return showAsk(parts, current, signal);
    },
    mayOpen: (current) => isShown(connected().views, current),
    // A pick and a diff of the same request are never visible together.
    wantsPick: (current) => allowsPick(current) && !reviews.wasOpened(current.ask.id),
    showDetails: (current) => connected().reveal(current),
    handOver: (text) => handOver(connected().views.current, text),
    shownByItself: (shown) =>
      void vscode.commands.executeCommand('setContext', 'gatehouse.requestPick', shown),
    returnFocus: () => void focusComposer(connected().views.current),
    onError: (error) => log.error(String(error)),
  });
}

/** The position of a request in the queue; empty when another one is current. */
function livePosition(asks: Asks, id: string): LiveTitle {
  const get = () => {
    const { current } = asks;
    return current?.ask.id === id ? requestPosition(current, t) : '';
  };
  return { get, onDidChange: asks.onDidChange };
}

async function handOver(view: ChatView, text: string): Promise<void> {
  await view.focus();
  view.appendText(text);
}

async function focusComposer(view: ChatView): Promise<void> {
  await view.focus();
  view.focusComposer();
}

/** Whether the focused chat shows the request's session. Others never take the focus. */
function isShown({ focused }: ChatViews, { sessionId, source }: CurrentAsk): boolean {
  const shown = focused?.session.id;
  return shown !== undefined && (shown === sessionId || shown === source.parent);
}

function allowsPick({ ask }: CurrentAsk): boolean {
  if (ask.kind === 'question') return startsWithPick(ask);
  return readSetting(vscode.workspace, 'ask.surface') !== 'chat';
}

/** The workspace folders, or a scratch folder in the user's data if none is open. */
function sessionFolders(context: vscode.ExtensionContext) {
  const [cwd, ...additionalDirectories] = (vscode.workspace.workspaceFolders ?? []).flatMap(
    ({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : []),
  );
  const scratch = path.join(context.globalStorageUri.fsPath, 'user', 'scratch');
  return { cwd: cwd ?? scratch, additionalDirectories };
}

/** All workspace folders: a session belongs to the one that was the first when it began. */
function listedFolders(context: vscode.ExtensionContext): readonly string[] {
  const { cwd, additionalDirectories } = sessionFolders(context);
  return [cwd, ...additionalDirectories];
}

/**
 * The display form of a path, with hidden characters visible. Workspace folders use their name; their
 * relative path is empty.
 */
function pathLabel(file: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === file);
  return toVisible(folder?.name ?? vscode.workspace.asRelativePath(file)).text;
}
