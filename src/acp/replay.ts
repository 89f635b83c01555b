import type { SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk';
import {
  isToolPart,
  type StoredMessage,
  type StoredPart,
  type StoredToolPart,
  type ToolState,
} from '../base/stream/stored.ts';
import type { ClientView } from './clientView.ts';
import { toStoredUpdates } from './dataUpdates.ts';
import { toPromptUpdate } from './prompt.ts';
import { toCallFields, toInputMeta, toTextContent, withCallMeta } from './toolContent.ts';
import { toCall, toCancelled, toHostedCall } from './toolUpdates.ts';

/**
 * Replays the stored rows of a session as updates, in order (spec CS-66, `session/load`). Hidden
 * messages stay hidden.
 */
export function* replay(
  messages: readonly StoredMessage[],
  view: ClientView,
): Generator<SessionUpdate> {
  for (const message of messages) {
    if (message.metadata.hidden_at !== undefined || message.role === 'system') continue;
    for (const part of message.parts) yield* toPartUpdates(message, part, view);
  }
}

function toPartUpdates(
  message: StoredMessage,
  part: StoredPart,
  view: ClientView,
): readonly SessionUpdate[] {
  if (isToolPart(part)) {
    const call = toStoredCall(part, view);
    const { toolCallId, display } = part;
    return isCancelled(message, part) ? [call, toCancelled(toolCallId, display, view)] : [call];
  }
  switch (part.type) {
    case 'text': {
      const content = { type: 'text' as const, text: part.text };
      if (part.text === '') return [];
      if (message.role === 'user') {
        return [{ sessionUpdate: 'user_message_chunk', messageId: message.id, content }];
      }
      return [{ sessionUpdate: 'agent_message_chunk', messageId: part.id, content }];
    }
    case 'reasoning':
      if (part.text === '') return [];
      return [
        {
          sessionUpdate: 'agent_thought_chunk',
          messageId: part.id,
          content: { type: 'text', text: part.text },
        },
      ];
    case 'file':
      return toPromptUpdate(message.id, part.data);
    default:
      return toStoredUpdates(part.type, part.data, view);
  }
}

/** Its row keeps the state it had when the turn was cancelled (spec CS-79). */
function isCancelled({ metadata }: StoredMessage, { state }: StoredToolPart): boolean {
  return metadata.aborted_at !== undefined && !state.startsWith('output-');
}

/** One `tool_call` in its final state, with everything the user last saw of it. */
function toStoredCall(part: StoredToolPart, view: ClientView): SessionUpdate {
  if (part.hosted !== undefined) return toHostedCall(part, part.hosted, STATUS[part.state]);
  const fields = toCallFields(part.display, view, part.output);
  const failure = part.state === 'output-error' || part.state === 'output-denied';
  const reason = part.errorText ?? 'The call was rejected.';
  const shown = (fields.content ?? []).filter((content) => content.type !== 'content');
  return toCall(part.toolCallId, part.toolName, {
    ...withCallMeta(fields, {
      ...toInputMeta(part.toolName, part.input),
      ...(part.state === 'output-denied' && { ended: 'denied' }),
    }),
    status: STATUS[part.state],
    ...(part.input === undefined ? {} : { rawInput: part.input }),
    ...(part.output === undefined ? {} : { rawOutput: part.output }),
    ...(failure ? { content: [...shown, toTextContent(reason)] } : {}),
  });
}

const STATUS: Readonly<Record<ToolState, ToolCallStatus>> = {
  'input-streaming': 'pending',
  'input-available': 'pending',
  'approval-requested': 'pending',
  'approval-responded': 'in_progress',
  'output-available': 'completed',
  'output-error': 'failed',
  'output-denied': 'failed',
};
