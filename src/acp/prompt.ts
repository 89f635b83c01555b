import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';

/** A prompt's block as it is stored: text as text, everything else whole, as a file part. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: unknown };

export function toPromptParts(blocks: readonly ContentBlock[]): readonly PromptPart[] {
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'file' as const, data: block },
  );
}

/** The user's block as the client once sent it. Nothing for data that is not a content block. */
export function toPromptUpdate(messageId: string, data: unknown): readonly SessionUpdate[] {
  if (!isContentBlock(data)) return [];
  return [{ sessionUpdate: 'user_message_chunk', messageId, content: data }];
}

/** The longest title made from a prompt, in characters. */
const TITLE_CHARACTERS = 80;

/** A session's title out of its first prompt: the first line that says something. */
export function toTitle(blocks: readonly ContentBlock[]): string | undefined {
  for (const block of blocks) {
    const text = block.type === 'text' ? block.text : block.type === 'resource_link' && block.name;
    const line = (text || '').split('\n').map(squeeze).find(Boolean);
    if (line !== undefined) return cut(line);
  }
  return undefined;
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Cuts between characters, never within a pair. */
function cut(line: string): string {
  const characters = [...line];
  if (characters.length <= TITLE_CHARACTERS) return line;
  return `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…`;
}

function isContentBlock(data: unknown): data is ContentBlock {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  switch (data.type) {
    case 'resource_link':
      return has(data, 'name') && has(data, 'uri');
    case 'image':
    case 'audio':
      return has(data, 'data') && has(data, 'mimeType');
    case 'resource':
      return 'resource' in data && typeof data.resource === 'object' && data.resource !== null;
    default:
      return false;
  }
}

function has(data: object, name: string): boolean {
  return typeof Reflect.get(data, name) === 'string';
}
