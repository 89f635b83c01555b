import * as vscode from 'vscode';
import type { CommitQuery } from '../acp/gatehouse/session.ts';
import { asString, fieldAt } from '../base/json.ts';
import type { AskPresenter } from './asks/askPresenter.ts';
import type { Asks, QueuedAsk } from './asks/asks.ts';
import { pickRequest } from './asks/inbox.ts';
import type { Chats } from './chat/chats.ts';
import { choose } from './chat/sessionChoices.ts';
import type { Actions } from './commands.ts';
import type { ConnectedSessions } from './connectSessions.ts';
import { type AddParts, createAddActions } from './context/addToChat.ts';
import type { ConnectedTools } from './declared/connectTools.ts';
import { runCancellable, translate as t } from './editor.ts';
import { generateCommitMessage } from './git/commitMessage.ts';
import { getRepositories } from './git/gitChanges.ts';
import type { HostLink } from './host/hostLink.ts';
import type { HostProcess } from './host/hostProcess.ts';
import { createModelActions } from './models/connectModels.ts';
import type { Follower } from './review/follow.ts';
import { createReviewActions, type ReviewActionParts } from './reviewActions.ts';
import { reviewChanges } from './reviewChanges.ts';
import type { ConnectedRules } from './rules/connectRules.ts';
import type { ExplainDocuments } from './rules/explain/explainDocuments.ts';
import { explainPermission } from './rules/explain/explainPermission.ts';
import type { RulesView } from './rules/rulesView.ts';
import { setSearchKey } from './setup/searchKey.ts';
import type { Secrets } from './setup/secrets.ts';
import { readSetting } from './setup/settings.ts';
import type { CallActions } from './terminal/callActions.ts';
import type { Terminals } from './terminal/terminals.ts';
import { toPlainTranscript } from './text/plainTranscript.ts';
import type { UnreviewedActions } from './unreviewed/unreviewedActions.ts';
import type { ChatView } from './views/chatView.ts';
import type { ChatViews } from './views/chatViews.ts';

export interface ActionParts
  extends Pick<ReviewActionParts, 'review'>,
    Pick<AddParts, 'attaching' | 'terminal'> {
  readonly chats: Chats;
  readonly views: ChatViews;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly process: HostProcess;
  readonly presenter: AskPresenter;
  readonly terminals: Terminals;
  readonly calls: Pick<CallActions, 'output'>;
  readonly follower: Follower;
  readonly secrets: Secrets;
  readonly memory: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
  readonly tools: ConnectedTools;
  readonly written: UnreviewedActions;
  readonly rules: ConnectedRules;
  readonly explained: ExplainDocuments;
  readonly rulesView: RulesView;
  readonly sessions: ConnectedSessions;
  importRules(): Promise<void>;
  /** Shows the diff or the card of a request. */
  reveal(pending: QueuedAsk): void;
}

/** Creates the commands' actions. They act on the session of the most recently used view. */
export function createActions(parts: ActionParts): Actions {
  const { chats, views, follower, log, secrets, tools } = parts;
  return {
    openChat: () => views.current.compose(),
    newSession: () => {
      views.newSession();
      return views.current.compose();
    },
    ...parts.sessions.actions,
    stop: () => chats.stop(views.current.session),
    retry: () => chats.retry(views.current.session),
    focusPending: () => focusPending(parts),
    hideRequest: () => parts.presenter.escape(),
    showPending: () => showPending(parts),
    explainPermission: () => explainPermission({ ...parts, t }, views.current.session.id),
    explainDecision: (call) => explainDecision(parts, call),
    ...createRuleActions(parts),
    ...createDocumentActions(parts),
    showShippedRules: () => parts.rules.show(),
    showSessionRules: () => showSessionRules(parts),
    reviewRules: (argument) => parts.rules.review(argument),
    ...createModelActions({ ...parts, session: () => views.current.session }),
    sessionSettings: () => choose({ ...parts, window: vscode.window, t }, views.current.session),
    setSearchKey: () => setSearchKey(vscode.window, secrets, t),
    reviewChanges: () => reviewChanges({ ...parts, t }, views.current.session.id),
    ...createWrittenActions(parts),
    showLog: () => log.show(),
    showTerminal: () => showTerminal(parts),
    restartHost: () => restartHost(parts),
    followAgent: () => follower.set(true),
    unfollowAgent: () => follower.set(false),
    newTool: () => tools.authoring.newTool(),
    tryTool: (tried) => tools.authoring.tryTool(tried),
    reviewTools: () => tools.review(),
    refreshTools: () => tools.view.refresh(),
    goToTool: (item) => tools.view.goTo(item),
    enableTool: (item) => tools.view.set(item, true),
    disableTool: (item) => tools.view.set(item, false),
    restartServer: (item) => tools.view.act(item, 'restart'),
    signInToServer: (item) => tools.view.act(item, 'signIn'),
    signOutOfServer: (item) => tools.view.act(item, 'signOut'),
    ...createEditorActions(parts),
  };
}

/** The view that what is added goes to; it is shown. */
async function openForAdding(views: ChatViews): Promise<ChatView> {
  const view = views.current;
  await view.compose();
  return view;
}

/** Copies the text of the message that the menu of a page was opened on. */
function copyPlainMessage(view: ChatView, message: unknown): void {
  const id = asString(fieldAt(message, 'messageId'));
  if (id !== undefined) view.copyMessage(id);
}

/** Copies what the call put out whose card the menu of a page was opened on. */
async function copyOutput({ calls, views }: ActionParts, call: unknown): Promise<void> {
  const id = asString(fieldAt(call, 'toolCallId'));
  if (id === undefined) return;
  if (views.current.session.tool(id)?.output)
    await calls.output('copyOutput', views.current.session.id, id);
  else void vscode.window.showInformationMessage(t('This call has no output.'));
}

/** Copies the Markdown of the message that the menu of a page was opened on. */
async function copyMessage({ session }: ChatView, message: unknown): Promise<void> {
  const id = asString(fieldAt(message, 'messageId'));
  const item = session.state.items.find((each) => each.id === id);
  if (item !== undefined && 'text' in item) await vscode.env.clipboard.writeText(item.text);
}

/** The commands of the review in the active diff, and those that add to the chat. */
function createEditorActions(parts: ActionParts) {
  return {
    ...createReviewActions({
      ...{ ...parts, window: vscode.window, t },
      showWhole: (askId) => parts.presenter.open(askId),
      showCurrent: () => showCurrent(parts),
    }),
    copyPlainMessage: (message?: unknown) => copyPlainMessage(parts.views.current, message),
    copyMessage: (message?: unknown) => copyMessage(parts.views.current, message),
    copyOutput: (call?: unknown) => copyOutput(parts, call),
    generateCommitMessage: (target?: unknown) => writeCommitMessage(parts, target),
    ...createAddActions({ ...parts, t, openChat: () => openForAdding(parts.views) }),
  };
}

function writeCommitMessage({ link, views }: ActionParts, target: unknown): Promise<void> {
  const ask = async (query: CommitQuery, signal: AbortSignal) =>
    (await link.connection()).call('commitMessage', query, signal);
  return generateCommitMessage(
    {
      ...{ window: vscode.window, t, repositories: getRepositories, ask },
      during: (work) => runCancellable(t('Writing a commit message'), work),
      sessionId: () => views.current.session.id,
    },
    target,
  );
}

/** The commands of the Permissions view. */
function createRuleActions({ rulesView, importRules }: ActionParts) {
  return {
    importRules: () => importRules(),
    refreshRules: () => rulesView.refresh(),
    filterRules: () => rulesView.filter(),
    clearRuleFilter: () => rulesView.clearFilter(),
    goToListedRule: (item?: unknown) => rulesView.goTo(item),
    copyListedRule: (item?: unknown) => rulesView.copy(item),
    removeListedRule: (item?: unknown) => rulesView.remove(item),
    showMoreRules: (item?: unknown) => rulesView.showMore(item),
  };
}

/** The commands about changes that are on disk and await a review. */
function createWrittenActions({ written, views }: ActionParts) {
  const session = () => views.current.session.id;
  return {
    reviewWritten: () => written.open(undefined),
    keepWritten: (hunk?: unknown) => written.decideHunk('keep', hunk),
    undoWritten: (hunk?: unknown) => written.decideHunk('undo', hunk),
    keepWrittenFile: (file?: unknown) => written.decideFile('keep', file),
    undoWrittenFile: (file?: unknown) => written.decideFile('undo', file),
    keepAllWritten: (at?: unknown) =>
      written.decideAll('keep', at === CHAT ? session() : undefined),
    undoAllWritten: (at?: unknown) =>
      written.decideAll('undo', at === CHAT ? session() : undefined),
    nextWritten: () => written.go(1),
    previousWritten: () => written.go(-1),
  };
}

/** The commands that show a session as a document. */
function createDocumentActions({ chats, explained, link, views }: ActionParts) {
  return {
    showDecisionLog: () => explained.showLog(views.current.session.id),
    showPrompt: () => showPrompt(explained, link, views.current.session.id),
    async showTranscript() {
      const { session } = views.current;
      await chats.whole(session);
      await explained.show(t('Transcript'), toPlainTranscript(session.state, t));
    },
  };
}

async function showPrompt(
  explained: ExplainDocuments,
  link: HostLink,
  sessionId: string | undefined,
): Promise<void> {
  if (sessionId === undefined) {
    void vscode.window.showInformationMessage(
      t('Send a message first. Until then, the agent has no instructions.'),
    );
    return;
  }
  const { text } = await (await link.connection()).call('promptDocument', { sessionId });
  await explained.show(t('What the Agent Was Told'), text, 'markdown');
}

/** The argument of a command that a chat runs for its own session. */
const CHAT = 'chat';

function restartHost({ process, link }: ActionParts): Promise<unknown> {
  process.restart();
  return link.connection();
}

/** Opens the current request, or the one after it if its quick pick is already open. */
async function focusPending(parts: ActionParts): Promise<void> {
  const { asks, presenter } = parts;
  if (presenter.isOpen) asks.selectNext();
  const { current } = asks;
  if (current === undefined) void vscode.window.showInformationMessage(t('No pending requests.'));
  else await goTo(parts, current);
}

/** Explains the call of a card, or one that the user chooses, pending or past. */
async function explainDecision(parts: ActionParts, call: unknown): Promise<void> {
  const { asks, explained, views } = parts;
  const { id } = views.current.session;
  const pending = asks.pending.flatMap(({ sessionId, ask, tool, input }) =>
    sessionId === id && ask.kind === 'permission' && tool !== undefined
      ? [{ ...{ tool, input, title: ask.title }, toolCallId: ask.toolCallId }]
      : [],
  );
  const toolCallId = asString(fieldAt(call, 'toolCallId'));
  await explained.explainDecision(id, { toolCallId, pending });
}

async function showSessionRules({ views, rules }: ActionParts): Promise<void> {
  const { id } = views.current.session;
  if (id !== undefined) await rules.show(id);
  else void vscode.window.showInformationMessage(t('This session has not begun yet.'));
}

/** Lists the pending requests of all sessions, and goes to what the user chooses. */
async function showPending(parts: ActionParts): Promise<void> {
  const { asks, rules } = parts;
  if (asks.pending.length <= 1) return focusPending(parts);
  const ruleButton = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Go to Rule') };
  const inbox = { window: vscode.window, ruleButton, t, now: Date.now() };
  const choice = await pickRequest(inbox, asks.pending, asks.current);
  if (choice?.kind === 'rule') return rules.goTo(choice.rule, choice.sessionId);
  const chosen = choice && asks.get(choice.id);
  if (chosen !== undefined) await goTo(parts, chosen);
}

/** Shows the session of a request, and its quick pick or card. */
async function goTo(parts: ActionParts, to: QueuedAsk): Promise<void> {
  const { asks, views, presenter, reveal, review } = parts;
  const { ask, sessionId } = to;
  await views.open(sessionId);
  const inChat =
    ask.kind === 'permission' && readSetting(vscode.workspace, 'ask.surface') === 'chat';
  // A quick pick would cover the diff that the user opened for the request.
  const inDiff = review.reviews.wasOpened(ask.id);
  if ((inChat || inDiff) && asks.select(ask.id)) reveal(to);
  else presenter.open(ask.id);
}

function showCurrent({ asks: { current }, reveal }: ActionParts): void {
  if (current !== undefined) reveal(current);
  else void vscode.window.showInformationMessage(t('No pending requests.'));
}

function showTerminal({ terminals }: ActionParts): void {
  const { latest } = terminals;
  if (latest !== undefined) terminals.show(latest);
  else void vscode.window.showInformationMessage(t('No command has run yet.'));
}
