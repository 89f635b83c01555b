import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Chunk, ToolChunk } from '../base/stream/chunk.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import { toPlan } from './plan.ts';
import {
  type ClientView,
  toCallFields,
  toInputMeta,
  toTextContent,
  withCallMeta,
} from './toolContent.ts';

/**
 * What a client is told of one chunk (CS-67). Pure and without memory (CS-68); empty deltas and the
 * stream's own marks say nothing. Faults and ends are the prompt's answer, not updates.
 */
export function toUpdates(chunk: Chunk, view: ClientView): readonly SessionUpdate[] {
  switch (chunk.type) {
    case 'text-delta':
      return toMessage('agent_message_chunk', chunk);
    case 'reasoning-delta':
      return toMessage('agent_thought_chunk', chunk);
    case 'start':
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
    case 'start-step':
    case 'finish-step':
    case 'finish':
    case 'abort':
    case 'error':
      return [];
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-available':
    case 'tool-input-error':
    case 'tool-approval-request':
    case 'tool-progress':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      return toToolUpdates(chunk, view);
    default:
      return toDataUpdates(chunk);
  }
}

function toMessage(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  chunk: { readonly id: string; readonly delta: string },
): readonly SessionUpdate[] {
  if (chunk.delta === '') return [];
  const content = { type: 'text' as const, text: chunk.delta };
  return [{ sessionUpdate, messageId: chunk.id, content }];
}

function toToolUpdates(chunk: ToolChunk, view: ClientView): readonly SessionUpdate[] {
  const { toolCallId } = chunk;
  switch (chunk.type) {
    case 'tool-input-start':
      return [toCall(toolCallId, chunk.toolName, toCallFields(chunk.display, view))];
    case 'tool-input-delta':
      return [];
    case 'tool-input-available':
      return [
        toChange(toolCallId, {
          rawInput: chunk.input,
          ...withCallMeta(
            toCallFields(chunk.display, view),
            toInputMeta(chunk.toolName, chunk.input),
          ),
        }),
      ];
    case 'tool-input-error':
      return [toFailure(toolCallId, chunk.errorText, { rawInput: chunk.input })];
    case 'tool-approval-request':
      return [toChange(toolCallId, { status: 'pending', ...toCallFields(chunk.display, view) })];
    case 'tool-progress':
      return [
        toChange(toolCallId, { status: 'in_progress', ...toCallFields(chunk.display, view) }),
      ];
    case 'tool-output-available':
      return [toChange(toolCallId, { ...toOutput(chunk, view), status: 'completed' })];
    case 'tool-output-error':
      return [
        toFailure(toolCallId, chunk.errorText, {
          ...(chunk.output === undefined ? {} : { rawOutput: chunk.output }),
          ...toCallFields(chunk.display, view),
        }),
      ];
    case 'tool-output-denied':
      return [
        toFailure(
          toolCallId,
          chunk.reason ?? 'The user rejected this call.',
          withCallMeta(toCallFields(chunk.display, view), { ended: 'denied' }),
        ),
      ];
  }
}

/** The last word about a call that an abort left without an outcome: ACP has no status for it. */
export function toCancelled(toolCallId: string): SessionUpdate {
  return toFailure(toolCallId, 'Cancelled.', withCallMeta({}, { ended: 'aborted' }));
}

/** The first word about a call: it is shown before its arguments are complete. */
export function toCall(
  toolCallId: string,
  toolName: string,
  fields: Omit<ToolCallUpdate, 'toolCallId'>,
): SessionUpdate {
  const call: ToolCall = { toolCallId, title: fields.title ?? toolName, name: toolName };
  return {
    sessionUpdate: 'tool_call',
    kind: getToolFacts(toolName)?.kind ?? 'other',
    status: 'pending',
    ...withoutNull(fields),
    ...call,
  };
}

function toChange(toolCallId: string, fields: Omit<ToolCallUpdate, 'toolCallId'>): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', toolCallId, ...fields };
}

/** The reason stands in the content, where every client shows it (CS-67). */
function toFailure(
  toolCallId: string,
  text: string,
  fields: Omit<ToolCallUpdate, 'toolCallId'>,
): SessionUpdate {
  const shown = (fields.content ?? []).filter((content) => content.type !== 'content');
  const content = [...shown, toTextContent(text)];
  return toChange(toolCallId, { ...fields, status: 'failed', content });
}

function toOutput(
  chunk: ToolChunk & { readonly type: 'tool-output-available' },
  view: ClientView,
): Omit<ToolCallUpdate, 'toolCallId'> {
  return { ...toCallFields(chunk.display, view, chunk.output), rawOutput: chunk.output };
}

/** `tool_call` has no nulls where `tool_call_update` has them. */
function withoutNull(fields: Omit<ToolCallUpdate, 'toolCallId'>): Partial<ToolCall> {
  const { kind, status, content, locations, title, ...rest } = fields;
  return {
    ...rest,
    ...(kind ? { kind } : {}),
    ...(status ? { status } : {}),
    ...(content ? { content } : {}),
    ...(locations ? { locations } : {}),
    ...(title ? { title } : {}),
  };
}

function toDataUpdates(
  chunk: Extract<Chunk, { readonly type: `data-${string}` }>,
): readonly SessionUpdate[] {
  if (chunk.type === 'data-todo') return toPlan(chunk.data);
  return [];
}
