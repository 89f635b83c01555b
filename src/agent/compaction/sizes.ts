import type { Attachment } from '../../base/stream/attachment.ts';
import { isToolBody, type PartBody } from '../../base/stream/fold.ts';
import type { HistoryMessage } from '../../base/stream/historyMessage.ts';

/** Characters of one token, estimated (spec CS-48). */
const PER_TOKEN = 4;

/** No tokenizer has longer ones on average: an endpoint that reports less than this reports wrongly. */
const MOST_PER_TOKEN = 8;

/** What an image counts as, in characters; its bytes say nothing about its tokens. */
const IMAGE = 4_800;

export function toTokens(characters: number): number {
  return Math.ceil(characters / PER_TOKEN);
}

/** How large the conversation was when an endpoint measured it. */
export interface Measure {
  /** As the endpoint counts. */
  readonly tokens: number;
  /** As `countCharacters` counts. */
  readonly characters: number;
}

/**
 * The tokens of a request with so many characters: the last answer's count and an estimate of what
 * was added since, or only an estimate.
 */
export function estimateTokens(characters: number, measure: Measure | undefined): number {
  if (measure === undefined) return toTokens(characters);
  const added = (characters - measure.characters) / PER_TOKEN;
  return Math.ceil(Math.max(measure.tokens + added, characters / MOST_PER_TOKEN));
}

const known = new WeakMap<object, number>();

/** What the model reads of these messages, in characters. Stored parts are counted once. */
export function countCharacters(messages: readonly Pick<HistoryMessage, 'parts'>[]): number {
  return messages.reduce((sum, { parts }) => sum + countParts(parts), 0);
}

export function countParts(parts: readonly PartBody[]): number {
  return parts.reduce((sum, part) => sum + countPart(part), 0);
}

function countPart(part: PartBody): number {
  const counted = known.get(part);
  if (counted !== undefined) return counted;
  const count = measurePart(part);
  known.set(part, count);
  return count;
}

function measurePart(part: PartBody): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length;
  if (isToolBody(part)) return countJson(part.input) + countJson(part.output ?? part.errorText);
  if (part.type === 'file') return countAttachment(part.data);
  return part.type === 'data-review' && 'data' in part ? countJson(part.data) : 0;
}

function countAttachment(attachment: Attachment): number {
  switch (attachment.kind) {
    case 'text':
      return attachment.text.length;
    case 'image':
      return IMAGE;
    case 'blob':
    case 'audio':
      return Math.ceil(attachment.base64.length * 0.75);
    default:
      return JSON.stringify(attachment).length;
  }
}

export function countJson(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
