import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { type Attachment, findAttachmentFault } from '../base/stream/attachment.ts';
import { parseContentBlock } from '../base/stream/contentBlock.ts';
import { ERROR, STEP } from '../base/stream/fold.ts';
import type { StoredMessage } from '../base/stream/stored.ts';
import { toContentBlock } from './contentBlock.ts';

/** A part of a user message before it is stored. */
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

/** Why this prompt cannot be accepted, in words for the user; undefined when it can. */
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
 * True when the session ends in just these words and a turn that brought nothing but a fault: the
 * client's *Retry* sends them again, and the model must not read them twice.
 */
export function isRetry(messages: readonly StoredMessage[], parts: readonly PromptPart[]): boolean {
  const last = messages.at(-1);
  const empty = last?.role === 'assistant' && last.parts.every(({ type }) => SILENT.has(type));
  const words = empty ? messages.at(-2) : last;
  if (words?.role !== 'user') return false;
  const known = words.parts.map(({ id: _, ...part }) => part);
  return isDeepStrictEqual(known, parts);
}

/** Parts of a turn that say nothing to anybody: a step that began, the fault that ended it. */
const SILENT: ReadonlySet<string> = new Set([STEP, ERROR]);

/** The user's block as the client once sent it. Nothing for a row that cannot be read. */
export function toPromptUpdate(messageId: string, data: Attachment): readonly SessionUpdate[] {
  const content = toContentBlock(data);
  return content ? [{ sessionUpdate: 'user_message_chunk', messageId, content }] : [];
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
