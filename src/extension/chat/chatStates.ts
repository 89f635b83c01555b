import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { HistoryUpdate } from '../../acp/gatehouse/history.ts';
import { applyChange } from '../../webview/messages/applyChange.ts';
import type { ChatState, StateChange } from '../../webview/messages/chatState.ts';
import { MISSING_NOTE } from './loading/notes.ts';
import type { PathLabel } from './toolItem.ts';
import { endTurn, toChanges, trailingItems } from './transcript.ts';

/** What all sessions of a window show. */
export type SharedState = Pick<ChatState, 'header' | 'workspace' | 'options'>;

export function emptyState({ header, workspace, options }: SharedState): ChatState {
  return {
    ...{ header, workspace, options },
    activity: 'idle',
    items: [],
    plan: [],
    unreviewed: [],
    asks: [],
    request: null,
    queue: [],
  };
}

/** The state that history is loaded into. */
export function toLoadingState(state: ChatState): ChatState {
  const { asks, request, queue, unreviewed, choices } = state;
  return { ...emptyState(state), asks, request, queue, unreviewed, ...(choices && { choices }) };
}

/** What was loaded, with the cards and the message at the end of `state` that the host doesn't have. */
export function toLoadedState(
  loaded: ChatState,
  state: ChatState,
  unsent: string | undefined,
): ChatState {
  const settled = endTurn(loaded, true).reduce(applyChange, loaded);
  const { header, workspace, options, asks, request, queue, unreviewed, title, subagents } = state;
  const trailing = trailingItems(state.items, unsent);
  return {
    ...(title !== undefined && { title }),
    ...settled,
    ...{ header, workspace, options, asks, request, queue, unreviewed },
    ...(subagents && { subagents }),
    items: [...settled.items, ...trailing.filter(({ id }) => id !== MISSING_NOTE)],
  };
}

/** Puts older messages, as the host sends them, before what is shown. A newer plan stays. */
export function toEarlier(
  state: ChatState,
  updates: readonly HistoryUpdate[],
  label: PathLabel,
): readonly StateChange[] {
  let page = emptyState(state);
  for (const update of updates) {
    // The host sends the updates that it would send when it loads the session.
    const changes = toChanges(page, update as unknown as SessionUpdate, label);
    page = changes.reduce(applyChange, page);
  }
  const { items, plan } = endTurn(page, true).reduce(applyChange, page);
  const older: StateChange = { type: 'prepend', items };
  const keepsPlan = state.plan.length > 0 || plan.length === 0;
  return keepsPlan ? [older] : [older, { type: 'set', values: { plan } }];
}
