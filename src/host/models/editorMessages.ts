import type { WireModelMessage, WireModelPart } from '../../acp/gatehouse/client.ts';
import type { ModelMessage } from '../../agent/model.ts';

/** The editor's models know no system messages: the prompt is the first message of the user. */
export function toWireMessages(prompt: readonly ModelMessage[]): readonly WireModelMessage[] {
  return prompt.flatMap((message): readonly WireModelMessage[] => {
    const parts = toParts(message);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    return parts.length === 0 ? [] : [{ role, parts }];
  });
}

function toParts(message: ModelMessage): readonly WireModelPart[] {
  if (message.role === 'system') return [{ type: 'text', text: message.content }];
  if (message.role === 'tool') return message.content.flatMap(toResult);
  return message.content.flatMap((part): readonly WireModelPart[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'file') return toImage(part);
    if (part.type !== 'tool-call') return [];
    return [{ type: 'call', id: part.toolCallId, name: part.toolName, input: part.input }];
  });
}

type Content<Role> = Extract<ModelMessage, { readonly role: Role }>['content'][number];

function toResult(part: Content<'tool'>): readonly WireModelPart[] {
  if (part.type !== 'tool-result') return [];
  const { output } = part;
  const text =
    output.type === 'text' || output.type === 'error-text'
      ? output.value
      : JSON.stringify('value' in output ? output.value : (output.reason ?? ''));
  return [{ type: 'result', id: part.toolCallId, text }];
}

function toImage({
  mediaType,
  data,
}: Extract<Content<'user' | 'assistant'>, { readonly type: 'file' }>): readonly WireModelPart[] {
  if (!mediaType.startsWith('image/') || data.type !== 'data') return [];
  const text =
    typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  return [{ type: 'image', mediaType, data: text }];
}
