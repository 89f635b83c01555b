import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import { applyChange } from '../../../webview/messages/applyChange.ts';
import type { ChatItem } from '../../../webview/messages/chatState.ts';
import type { SubagentState } from '../../../webview/messages/subagents.ts';
import type { AcpConnection } from '../../host/connection.ts';
import { emptyState, type SharedState } from '../chatStates.ts';
import type { PathLabel } from '../toolItem.ts';
import { endTurn, toChanges } from '../transcript.ts';

/** Messages that are read: a subagent is prompted once, so it has few. */
const MESSAGES = 100;
/** Items that a card shows, so that a long search doesn't slow the chat. */
const MOST_ITEMS = 200;

/** Reads the newest of what a subagent did. Rejects with the error of the host. */
export async function readSubagent(
  connection: Pick<AcpConnection, 'call'>,
  sessionId: string,
  shared: SharedState,
  label: PathLabel,
): Promise<SubagentState> {
  const page = await connection.call('history', { sessionId, limit: MESSAGES });
  let state = emptyState(shared);
  for (const update of page.updates) {
    // The host sends the updates that it would send when it loads the session.
    const changes = toChanges(state, update as unknown as SessionUpdate, label);
    state = changes.reduce(applyChange, state);
  }
  const { items } = endTurn(state, false).reduce(applyChange, state);
  const shown = items.slice(-MOST_ITEMS);
  return {
    items: shown.map((item) => withOwnId(item, sessionId)),
    left: items.length - shown.length,
  };
}

interface KeptDiffs {
  keep(
    call: { readonly sessionId: string; readonly toolCallId: string },
    content: readonly ToolCallContent[],
  ): void;
}

/** Reads what a call of a subagent changed. Rejects with the error of the host. */
export async function keepDiffs(
  connection: Pick<AcpConnection, 'call'>,
  call: { readonly sessionId: string; readonly toolCallId: string },
  diffs: KeptDiffs,
): Promise<void> {
  const { sessionId, toolCallId } = call;
  const page = await connection.call('history', { sessionId, limit: MESSAGES });
  for (const each of page.updates) {
    const update = each as unknown as SessionUpdate;
    const isCall =
      update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update';
    if (isCall && update.toolCallId === toolCallId) diffs.keep(call, update.content ?? []);
  }
}

/** Ids are unique in one session only; a call has the id that it has where the user is asked about it. */
function withOwnId(item: ChatItem, sessionId: string): ChatItem {
  return { ...item, id: `${sessionId}/${item.id}` };
}
