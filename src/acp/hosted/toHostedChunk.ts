import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { HostedState, ToolChunk } from '../../base/stream/chunk.ts';
import type { Envelope } from '../../base/stream/envelope.ts';

type HostedChunk = Extract<ToolChunk, { readonly type: 'tool-hosted' }>;

/** Converts a hosted agent's update about one of its calls; undefined for other updates. */
export function toHostedChunk(update: SessionUpdate): HostedChunk | undefined {
  if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
  const { toolCallId, name, kind, rawInput } = update;
  const state = toState(update);
  return {
    type: 'tool-hosted',
    toolCallId,
    toolName: name ?? kind ?? 'other',
    ...(state !== undefined && { state }),
    ...(rawInput !== undefined && { input: rawInput }),
    ...(state === 'output-available' && { output: toOutput(update) }),
    ...(state === 'output-error' && { errorText: toText(update) ?? 'The call failed.' }),
    update: { ...update },
  };
}

function toState(update: SessionUpdate & (ToolCall | ToolCallUpdate)): HostedState | undefined {
  switch (update.status) {
    case 'completed':
      return 'output-available';
    case 'failed':
      return 'output-error';
    case 'pending':
    case 'in_progress':
      return 'input-available';
    default:
      // A new call is pending unless it has a status.
      return update.sessionUpdate === 'tool_call' ? 'input-available' : undefined;
  }
}

/** The agent reports no timing, so the envelope's duration is 0. */
function toOutput(update: ToolCall | ToolCallUpdate): Envelope {
  const data = update.rawOutput ?? toText(update) ?? null;
  return { type: 'output', data, metadata: { duration_ms: 0 } };
}

function toText({ content }: ToolCall | ToolCallUpdate): string | undefined {
  const texts = (content ?? []).flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}
