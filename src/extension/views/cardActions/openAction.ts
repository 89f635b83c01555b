import * as vscode from 'vscode';
import { getMessage } from '../../../base/faults.ts';
import type { RuleReference } from '../../../webview/messages/asks.ts';
import type { ChatCommand, ChatState } from '../../../webview/messages/chatState.ts';
import type { UserAction } from '../../../webview/messages/messages.ts';
import type { AskPresenter } from '../../asks/askPresenter.ts';
import type { Asks } from '../../asks/asks.ts';
import type { ChatSession } from '../../chat/chatSession.ts';
import type { Chats } from '../../chat/chats.ts';
import { choose, useNext } from '../../chat/sessionChoices.ts';
import { findNestedCall } from '../../chat/subagents/nestedCall.ts';
import type { HostLink } from '../../host/hostLink.ts';
import type { CallDiffs } from '../../review/callDiffs.ts';
import type { Reviews } from '../../review/editors/reviews.ts';
import { showLocation } from '../../review/follow.ts';
import type { RuleDocuments } from '../../rules/goToRule.ts';
import type { CallActions } from '../../terminal/callActions.ts';
import type { Terminals } from '../../terminal/terminals.ts';
import { plainNotice } from '../../text/plainNotice.ts';
import type { Translate } from '../../text/translate.ts';
import { openLink } from './openLink.ts';
import { revertChange } from './revertChange.ts';
import { showDiff } from './showDiff.ts';

export interface OpenParts {
  readonly presenter: AskPresenter;
  readonly chats: Chats;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly diffs: CallDiffs;
  readonly reviews: Reviews;
  readonly terminals: Terminals;
  readonly calls: CallActions;
  readonly rules: RuleDocuments;
  readonly t: Translate;
  /** Focuses the view that shows the session, if one does. */
  focusChat(session: ChatSession): void;
}

type RuleParts = Pick<OpenParts, 'asks' | 'rules' | 't'>;

/** Actions that only open something in the editor. */
export type OpenAction = Extract<
  UserAction,
  {
    type:
      | 'editMessage'
      | 'forkMessage'
      | 'showTerminal'
      | 'openLocation'
      | 'showDiff'
      | 'openLink'
      | 'run'
      | 'showRule'
      | 'stopCommand'
      | 'continueInBackground'
      | 'runInTerminal'
      | 'copyOutput'
      | 'copyText'
      | 'openOutput'
      | 'revert'
      | 'choose'
      | 'useModel'
      | 'useNext';
  }
>;

const COMMANDS: Readonly<Record<ChatCommand, readonly [string, ...unknown[]]>> = {
  newSession: ['gatehouse.newSession'],
  setModel: ['gatehouse.setModel'],
  setApiKey: ['gatehouse.setApiKey'],
  chooseModel: ['gatehouse.chooseModel'],
  openLimits: [
    'workbench.action.openSettings',
    '@id:gatehouse.limits.sessionCost,gatehouse.limits.dayCost,gatehouse.limits.unpricedTokens',
  ],
  showLog: ['gatehouse.showLog'],
  restartHost: ['gatehouse.restartHost'],
  manageTrust: ['workbench.trust.manage'],
  reviewRules: ['gatehouse.reviewRules'],
  openSettings: ['workbench.action.openSettings', '@ext:gatehouse.gatehouse'],
  reviewChanges: ['gatehouse.reviewChanges'],
  keepAllChanges: ['gatehouse.keepAllWritten', 'chat'],
  undoAllChanges: ['gatehouse.undoAllWritten', 'chat'],
  undoRewind: ['gatehouse.undoRewind'],
};

/** Those that ask, and call the `chosen` of their argument. */
const ASKING: ReadonlySet<string> = new Set([
  'gatehouse.chooseModel',
  'gatehouse.setApiKey',
  'gatehouse.setModel',
]);

/** Opens the target of a card's action in the editor. */
export function open(parts: OpenParts, session: ChatSession, action: OpenAction): void {
  switch (action.type) {
    case 'editMessage':
    case 'forkMessage':
      runOn(action.type, action.itemId);
      break;
    case 'showTerminal':
      parts.terminals.show(action.terminalId);
      break;
    case 'openLocation':
      void showLocation(action.path, action.line, true);
      break;
    case 'showDiff':
      showDiff(parts, session, action.itemId, action.index).catch(showError);
      break;
    case 'revert':
      revert(parts, session, action.itemId);
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
    case 'choose':
      chooseSetting(parts, session, action);
      break;
    case 'showRule':
      openRules(parts, session.tool(action.itemId)?.rules ?? [], session.id);
      break;
    default:
      run(parts, session, action);
  }
}

function run(
  parts: OpenParts,
  session: ChatSession,
  action: Extract<OpenAction, { type: 'run' | 'useModel' | 'useNext' }>,
): void {
  if (action.type === 'useNext') useNext(parts, session, action.ref).catch(showError);
  else runAsking(parts, session, ...toCommand(action, session));
}

/**
 * Runs a command that may ask for something. When a pick closes that a page opened, VS Code focuses the
 * editors: the focus returns once something was chosen, and stays there if nothing was and an editor is
 * open, since a click into it closes the pick, too.
 */
function runAsking(
  parts: Pick<OpenParts, 'focusChat'>,
  session: ChatSession,
  command: string,
  ...given: readonly unknown[]
): void {
  if (!ASKING.has(command)) {
    void vscode.commands.executeCommand(command, ...given);
    return;
  }
  let isChosen = false;
  const chosen = (): void => {
    isChosen = true;
    parts.focusChat(session);
  };
  const end = (): void => {
    if (!isChosen && vscode.window.activeTextEditor === undefined) parts.focusChat(session);
  };
  void vscode.commands
    .executeCommand(command, { ...Object(given[0]), chosen })
    .then(end, showError);
}

function toCommand(
  action: Extract<OpenAction, { type: 'run' | 'useModel' }>,
  { state }: ChatSession,
): readonly [string, ...unknown[]] {
  if (action.type === 'run') {
    const command = COMMANDS[action.command];
    if (action.command !== 'setApiKey') return command;
    // The key that is asked for is that of the model that failed.
    const model = state.choices?.find(({ id }) => id === 'model');
    return [...command, { ref: model?.current?.value }];
  }
  return ['gatehouse.useModel', { ref: action.ref }];
}

function revert(parts: OpenParts, session: ChatSession, itemId: string): void {
  const nested = findNestedCall(session, itemId)?.call;
  const { id: sessionId } = session;
  if (sessionId !== undefined)
    void revertChange(parts, nested ?? { sessionId, toolCallId: itemId });
}

function chooseSetting(
  parts: OpenParts,
  session: ChatSession,
  action: Extract<OpenAction, { type: 'choose' }>,
): void {
  // Its list is the host's, and takes a moment.
  if (action.id === 'model') {
    runAsking(parts, session, 'gatehouse.chooseModel');
    return;
  }
  const before = session.state.choices;
  choose({ ...parts, window: vscode.window }, session, action)
    .then(() => returnFocus(parts, session, before))
    .catch(showError);
}

/** Does the same as `runAsking` after a pick of ours. */
function returnFocus(
  parts: Pick<OpenParts, 'focusChat'>,
  session: ChatSession,
  before: ChatState['choices'],
): void {
  const changed = session.state.choices !== before;
  if (changed || vscode.window.activeTextEditor === undefined) parts.focusChat(session);
}

function showError(error: unknown): void {
  void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
}

/** Runs the command on a message, which its menu has too. */
function runOn(command: 'editMessage' | 'forkMessage', messageId: string): void {
  void vscode.commands.executeCommand(`gatehouse.${command}`, { messageId });
}

/** Opens the rule that asks about a request, or the one that nearly allows it. */
export function openAskRule(parts: RuleParts, askId: string, near: boolean): void {
  const { ask, sessionId } = parts.asks.get(askId) ?? {};
  if (ask?.kind !== 'permission') return;
  const rule = near ? ask.near?.rule : ask.whyRule;
  if (rule !== undefined) openRules(parts, [rule], sessionId);
}

function openRules(
  { rules, t }: RuleParts,
  references: readonly RuleReference[],
  sessionId: string | undefined,
): void {
  rules.choose(references, sessionId).catch((error: unknown) => {
    void vscode.window.showErrorMessage(
      plainNotice(t('Could not open the rule: {0}', getMessage(error))),
    );
  });
}
