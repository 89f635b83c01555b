import type { ModelCall, ModelMessage } from '../../model.ts';

/** One message of Ollama's `/api/chat`. */
export interface OllamaMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly thinking?: string;
  /** Base64, without a header. */
  readonly images?: readonly string[];
  readonly tool_calls?: readonly { readonly function: OllamaFunction }[];
  readonly tool_name?: string;
}

interface OllamaFunction {
  readonly name: string;
  readonly arguments: unknown;
}

export function toOllamaMessages(prompt: ModelCall['prompt']): readonly OllamaMessage[] {
  return prompt.flatMap(toMessages);
}

function toMessages(message: ModelMessage): readonly OllamaMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [toUser(message.content)];
    case 'assistant':
      return [toAssistant(message.content)];
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ role: 'tool', tool_name: part.toolName, content: toResult(part.output) }]
          : [],
      );
  }
}

type PartsOf<Role> = Extract<ModelMessage, { readonly role: Role }>['content'];

function toUser(parts: PartsOf<'user'>): OllamaMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = parts.flatMap((part) => (part.type === 'file' ? toImage(part) : []));
  return { role: 'user', content: texts.join('\n\n'), ...(images.length > 0 && { images }) };
}

function toImage({
  mediaType,
  data,
}: Extract<PartsOf<'user'>[number], { readonly type: 'file' }>): readonly string[] {
  if (!mediaType.startsWith('image') || data.type !== 'data') return [];
  return [typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64')];
}

function toAssistant(parts: PartsOf<'assistant'>): OllamaMessage {
  const join = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
  );
  const thinking = join('reasoning');
  return {
    role: 'assistant',
    content: join('text'),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

type ToolOutput = Extract<PartsOf<'tool'>[number], { readonly type: 'tool-result' }>['output'];

function toResult(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The call was denied.';
    default:
      return JSON.stringify(output.value);
  }
}
