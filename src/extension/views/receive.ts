import type { Attached } from '../../webview/messages/attached.ts';
import {
  ATTACH_TYPES,
  type AttachAction,
  type UserAction,
} from '../../webview/messages/messages.ts';
import type { AskPresenter } from '../asks/askPresenter.ts';
import type { Asks } from '../asks/asks.ts';
import type { TypingWatch } from '../asks/typingWatch.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { Subagents } from '../chat/subagents/subagents.ts';
import type { CallActions, QueueAction } from '../terminal/callActions.ts';
import type { OpenAction } from './cardActions/openAction.ts';
import type { PageMessage } from './chatPage.ts';
import type { ChatView } from './chatView.ts';
import type { ChatViews } from './chatViews.ts';

export interface Receiver {
  readonly chats: Chats;
  readonly views: Pick<ChatViews, 'use'>;
  readonly asks: Asks;
  readonly presenter: Pick<AskPresenter, 'open' | 'leave'>;
  readonly typing: Pick<TypingWatch, 'typed'>;
  readonly calls: Pick<CallActions, 'retryNow' | 'changeQueue'>;
  /** Called when the view's page has received its first snapshot. */
  ready(view: ChatView): void;
  /** Opens the rule that asks about a request, or the one that nearly allows it. */
  openRule(askId: string, near: boolean): void;
  /** Sends a message with what is attached to it. */
  send(session: ChatSession, text: string, attached: readonly Attached[]): Promise<void>;
  /** Finds or attaches something for the message that is written in the view. */
  attach(action: AttachAction, view: ChatView): Promise<void>;
  readonly subagents: Pick<Subagents, 'show'>;
  /** Shows the session of the current request. */
  showRequest(): void;
  /** Opens the target of a card's action in the editor. */
  open(session: ChatSession, action: OpenAction): void;
}

type SubagentAction = Extract<UserAction, { type: 'showSubagent' }>;

/** The types of actions that take a message out of the queue or put it back. */
const REMOVAL_TYPES = ['unqueue', 'removeQueued', 'restoreRemoved', 'dismissRemoved'] as const;
type RemovalAction = Extract<UserAction, { type: (typeof REMOVAL_TYPES)[number] }>;

/** Runs the action of a page's message in the session that the message names. */
export function receive(parts: Receiver, message: PageMessage, view: ChatView): void {
  if (message.type === 'ready') {
    parts.ready(view);
    return;
  }
  const session = parts.chats.get(message.session);
  if (session === undefined) return;
  parts.views.use(view);
  if (isAttachAction(message)) attach(parts, message, session, view);
  else if (message.type === 'showSubagent') parts.subagents.show(session, message.subagent);
  else if (isRemovalAction(message)) changeRemoved(parts.chats, message, session);
  else if (isQueueAction(message)) parts.calls.changeQueue(session.id, message);
  else act(parts, message, session, view);
}

/** The commands of a chat are the agent's, which tells them once the session exists. */
function attach(parts: Receiver, action: AttachAction, session: ChatSession, view: ChatView): void {
  const wantsCommands = action.type === 'lookUp' && action.commands === true;
  // The list just stays without commands if no session can be made; sending tells the reason.
  if (wantsCommands && session.id === undefined) parts.chats.ensure(session).catch(() => undefined);
  void parts.attach(action, view);
}

function changeRemoved(chats: Chats, action: RemovalAction, session: ChatSession): void {
  if (action.type === 'unqueue') void chats.removeQueued(session, action.id);
  else if (action.type === 'removeQueued') void chats.removed.remove(session, action.id);
  else if (action.type === 'restoreRemoved') chats.removed.restore(session);
  else chats.removed.dismiss(session);
}

function act(
  parts: Receiver,
  action: Exclude<UserAction, AttachAction | QueueAction | RemovalAction | SubagentAction>,
  session: ChatSession,
  view: ChatView,
): void {
  const { chats, asks, presenter, typing } = parts;
  switch (action.type) {
    case 'typed':
      typing.typed();
      break;
    case 'send':
      void parts.send(session, action.text, action.attached ?? []);
      break;
    case 'stop':
      void chats.stop(session);
      break;
    case 'retry':
      void chats.retry(session);
      break;
    case 'retryNow':
      parts.calls.retryNow(session.id);
      break;
    case 'answer':
      answer(asks, session, action, view);
      break;
    case 'keepEntry':
      if (isAskOf(session, action.askId, asks)) keepEntry(parts, action);
      break;
    case 'openRule':
      if (isAskOf(session, action.askId, asks)) parts.openRule(action.askId, action.near === true);
      break;
    case 'openAsk':
      if (isAskOf(session, action.askId, asks)) presenter.open(action.askId);
      break;
    case 'nextRequest':
      asks.selectNext();
      break;
    case 'showRequest':
      parts.showRequest();
      break;
    default:
      parts.open(session, action);
  }
}

/** Answers a request. A text of the composer that does not count is not lost. */
function answer(
  asks: Asks,
  session: ChatSession,
  { askId, answer: given, composed }: Extract<UserAction, { type: 'answer' }>,
  view: ChatView,
): void {
  const counts = isAskOf(session, askId, asks) && asks.answer(askId, given);
  if (counts || composed !== true || given.kind !== 'option') return;
  view.addToMessage([], given.reason);
}

function isAttachAction<Action extends UserAction>(
  action: Action,
): action is Extract<Action, AttachAction> {
  return ATTACH_TYPES.some((type) => type === action.type);
}

function isRemovalAction<Action extends UserAction>(
  action: Action,
): action is Extract<Action, RemovalAction> {
  return REMOVAL_TYPES.some((type) => type === action.type);
}

function isQueueAction<Action extends UserAction>(
  action: Action,
): action is Extract<Action, QueueAction> {
  const { type } = action;
  return type === 'steer' || type === 'moveQueued' || type === 'resumeQueue';
}

/** A quick pick that is open would go on to show what was chosen before. */
function keepEntry(
  { asks, presenter }: Receiver,
  { askId, entryId, keep }: Extract<UserAction, { type: 'keepEntry' }>,
): void {
  if (asks.current?.ask.id === askId) presenter.leave();
  asks.keepEntries(askId, ({ id, kept }) => (id === entryId ? keep : kept));
}

/** Whether an ask belongs to the session that the message names. */
function isAskOf({ id }: ChatSession, askId: string, asks: Asks): boolean {
  return id !== undefined && asks.get(askId)?.sessionId === id;
}
