import type { ToolItem } from '../../../webview/messages/chatState.ts';
import type { ChatSession } from '../chatSession.ts';

/** A call of a subagent, which the card of its task shows. */
export interface NestedCall {
  readonly item: ToolItem;
  /** The session of the subagent, and the id of the call there. */
  readonly call: { readonly sessionId: string; readonly toolCallId: string };
}

/** The call of a loaded subagent with the id of its card. */
export function findNestedCall({ state }: ChatSession, itemId: string): NestedCall | undefined {
  for (const [sessionId, { items }] of Object.entries(state.subagents ?? {})) {
    const item = items.find((each) => each.id === itemId);
    const toolCallId = itemId.slice(sessionId.length + 1);
    if (item?.kind === 'tool') return { item, call: { sessionId, toolCallId } };
  }
  return undefined;
}
