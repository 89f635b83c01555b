import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { type Attachment, findAttachmentFault } from '../base/stream/attachment.ts';
import { parseContentBlock } from '../base/stream/contentBlock.ts';
import { ERROR, STEP } from '../base/stream/fold.ts';
import type { StoredMessage } from '../base/stream/stored.ts';
import { toContentBlock } from './contentBlock.ts';

/** A part of a user message that is not stored yet. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: Attachment };

export function toPromptParts(blocks: readonly ContentBlock[]): readonly PromptPart[] {
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'file' as const, data: toAttachment(block) },
  );
}

/** Explains to the user why the prompt is not accepted; undefined when it is. */
export function findPromptFault(blocks: readonly ContentBlock[]): string | undefined {
  const faults = blocks.map((block) =>
    block.type === 'text' ? undefined : findAttachmentFault(toAttachment(block)),
  );
  return faults.find((fault) => fault !== undefined);
}

function toAttachment(block: ContentBlock): Attachment {
  return parseContentBlock(block) ?? { kind: 'unknown', value: block };
}

/**
 * Whether the session ends with this same prompt and a turn that only failed. The client's *Retry*
 * sends the prompt again, and the model must not see it twice.
 */
export function isRetry(messages: readonly StoredMessage[], parts: readonly PromptPart[]): boolean {
  const last = messages.at(-1);
  const empty = last?.role === 'assistant' && last.parts.every(({ type }) => SILENT.has(type));
  const words = empty ? messages.at(-2) : last;
  if (words?.role !== 'user') return false;
  const known = words.parts.map(({ id: _, ...part }) => part);
  return isDeepStrictEqual(known, parts);
}

/** Parts without content: the start of a step, the error that ended it. */
const SILENT: ReadonlySet<string> = new Set([STEP, ERROR]);

/** The user's block as the client sent it; nothing for a row that cannot be read. */
export function toPromptUpdate(messageId: string, data: Attachment): readonly SessionUpdate[] {
  const content = toContentBlock(data);
  return content ? [{ sessionUpdate: 'user_message_chunk', messageId, content }] : [];
}

/** Maximum length of a title made from a prompt, in characters. */
const TITLE_CHARACTERS = 80;

/** A session title from its first prompt: the first non-empty line, cut after a word. */
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

/** Cuts after the last word that fits; within a word that is longer than half a title, and never a surrogate pair. */
function cut(line: string): string {
  const characters = [...line];
  if (characters.length <= TITLE_CHARACTERS) return line;
  const fitting = characters.slice(0, TITLE_CHARACTERS);
  const space = fitting.lastIndexOf(' ');
  const end = space > TITLE_CHARACTERS / 2 ? space : TITLE_CHARACTERS - 1;
  return `${characters.slice(0, end).join('')}…`;
}
