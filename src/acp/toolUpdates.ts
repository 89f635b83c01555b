import type {
  SessionUpdate,
  ToolCall,
  ToolCallStatus,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ToolChunk, ToolDisplay } from '../base/stream/chunk.ts';
import type { StoredToolPart } from '../base/stream/stored.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import type { ClientView } from './clientView.ts';
import { toCallFields, toInputMeta, toTextContent, withCallMeta } from './toolContent.ts';

type OwnToolChunk = Exclude<ToolChunk, { readonly type: 'tool-hosted' }>;

/** The session updates for a chunk about a call of our own. */
export function toToolUpdates(chunk: OwnToolChunk, view: ClientView): readonly SessionUpdate[] {
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

/** The final update of a call that an abort left without an outcome; ACP has no status for that. */
export function toCancelled(
  toolCallId: string,
  display: ToolDisplay | undefined,
  view: ClientView,
): SessionUpdate {
  const fields = withCallMeta(toCallFields(display, view), { ended: 'aborted' });
  return toFailure(toolCallId, 'Cancelled.', fields);
}

/** The first update of a call, sent before its arguments are complete. */
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

/** The reason is sent as content, which every client displays (spec CS-67). */
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

/** `tool_call` doesn't allow null where `tool_call_update` does. */
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

/** The last state of a hosted agent's call; one that never ended carries the reason. */
export function toHostedCall(
  { toolCallId, toolName, state, errorText }: StoredToolPart,
  hosted: Readonly<Record<string, unknown>>,
  status: ToolCallStatus,
): SessionUpdate {
  const { title, content } = hosted;
  const lost = state === 'output-error' && errorText !== undefined && hosted['status'] !== 'failed';
  const known = Array.isArray(content) ? content : [];
  return {
    sessionUpdate: 'tool_call',
    ...hosted,
    toolCallId,
    title: typeof title === 'string' ? title : toolName,
    ...(hosted['status'] === undefined || lost ? { status } : {}),
    ...(lost ? { content: [...known, toTextContent(errorText)] } : {}),
  };
}
