import { fieldAt, toRecord } from '../base/json.ts';
import type { ProviderMetadata } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import { isToolBody, type PartBody, STEP } from '../base/stream/fold.ts';
import type { HistoryMessage } from '../base/stream/historyMessage.ts';
import {
  ABORTED_BY_RESTART,
  type StoredTextPart,
  type StoredToolPart,
} from '../base/stream/stored.ts';
import { toAttachmentParts, type UserPart } from './attachments.ts';
import type { ModelMessage } from './model.ts';

interface RequestOptions {
  /** Whether the model accepts images. */
  readonly images?: boolean;
  /** Ids of the tools that the request offers: calls of these keep their name. */
  readonly tools?: ReadonlySet<string>;
}

/**
 * Converts the session to the messages of the next request. Repairs what crashes, cancellations and
 * faulty models left behind, because providers reject it: call ids become unique, and every call
 * gets a name that they accept, object arguments and exactly one result, in call order. Stored rows
 * are not changed.
 */
export function toModelMessages(
  messages: readonly HistoryMessage[],
  { images = true, tools = new Set() }: RequestOptions = {},
): ModelMessage[] {
  const ids = new Set<string>();
  const result: ModelMessage[] = [];
  for (const message of messages) {
    if (message.metadata.hidden_at !== undefined) continue;
    if (message.role === 'user') pushUser(result, toUserContent(message.parts, images));
    else if (message.role === 'assistant') pushAssistant(result, message, { ids, tools });
  }
  return result;
}

/** Merges consecutive user messages (the answer between them failed), as some endpoints require. */
function pushUser(result: ModelMessage[], content: UserPart[]): void {
  if (content.length === 0) return;
  const last = result.at(-1);
  if (last?.role === 'user') last.content.push(...content);
  else result.push({ role: 'user', content });
}

type PartOf<Role> = Extract<ModelMessage, { readonly role: Role }>['content'][number];

function toUserContent(parts: readonly PartBody[], images: boolean): UserPart[] {
  return parts.flatMap((part): UserPart[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'file') return toAttachmentParts(part.data, images);
    return toReviewText(part);
  });
}

/** What the user made of changes that waited for a review is a message of its own. */
function toReviewText(part: PartBody): UserPart[] {
  if (part.type !== 'data-review') return [];
  const text = 'data' in part ? fieldAt(part.data, 'text') : undefined;
  return typeof text === 'string' ? [{ type: 'text', text }] : [];
}

/** One assistant message per request of the turn, each followed by the results of its calls and by reviews. */
function pushAssistant(result: ModelMessage[], message: HistoryMessage, names: Names): void {
  const aborted = message.metadata.aborted_at !== undefined;
  for (const step of splitSteps(message.parts)) {
    const content: PartOf<'assistant'>[] = [];
    const results: PartOf<'tool'>[] = [];
    for (const part of step) {
      if (isSaid(part)) content.push({ type: part.type, text: part.text, ...toOptions(part) });
      if (!isToolBody(part)) continue;
      const toolCallId = uniqueId(part.toolCallId, names.ids);
      const toolName = cleanName(part.toolName, names.tools);
      const input = toRecord(part.input);
      content.push({ type: 'tool-call', toolCallId, toolName, input, ...toOptions(part) });
      const output = toOutput(part, aborted);
      results.push({ type: 'tool-result', toolCallId, toolName, output });
    }
    const last = result.at(-1);
    // Text without calls follows text that broke off: endpoints expect one message.
    if (last?.role === 'assistant') last.content.push(...content);
    else if (content.length > 0) result.push({ role: 'assistant', content });
    if (results.length > 0) result.push({ role: 'tool', content: results });
    pushUser(result, step.flatMap(toReviewText));
  }
}

/** Reasoning without text counts if its provider wants it back: it may be encrypted. */
function isSaid(part: PartBody): part is Omit<StoredTextPart, 'id'> {
  if (part.type !== 'text' && part.type !== 'reasoning') return false;
  return part.text !== '' || (part.type === 'reasoning' && part.providerMetadata !== undefined);
}

type Options = NonNullable<PartOf<'assistant'>['providerOptions']>;

/** What a provider sent for itself goes back to it; others ignore it. It was JSON, so it still is. */
function toOptions({ providerMetadata }: { readonly providerMetadata?: ProviderMetadata }) {
  return providerMetadata === undefined ? {} : { providerOptions: providerMetadata as Options };
}

interface Names {
  /** Call ids that the request uses so far. */
  readonly ids: Set<string>;
  readonly tools: ReadonlySet<string>;
}

/** Models invent names that endpoints refuse, in each request from then on. */
function cleanName(name: string, tools: ReadonlySet<string>): string {
  if (tools.has(name)) return name;
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST_NAME) || 'unknown';
}

/** What OpenAI's API accepts. */
const LONGEST_NAME = 64;

function splitSteps(parts: readonly PartBody[]): PartBody[][] {
  const steps: PartBody[][] = [[]];
  for (const part of parts) {
    if (part.type === STEP) steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

type ToolOutput = Extract<PartOf<'tool'>, { type: 'tool-result' }>['output'];

/**
 * The model sees the envelope that is stored, as JSON (spec C-43), except for failures that are marked:
 * a failure keeps its shape, also when its tool is gone (spec decision 44).
 */
function toOutput(part: Omit<StoredToolPart, 'id'>, aborted: boolean): ToolOutput {
  const envelope = part.output ?? errorEnvelope(getError(part, aborted));
  if (envelope.type === 'error' && envelope.metadata.failure_content === 'error') {
    const { truncated, output_path } = envelope.metadata;
    const content = { error: envelope.error_text, truncated, output_path };
    return { type: 'error-text', value: JSON.stringify(content) };
  }
  return {
    type: envelope.type === 'output' ? 'text' : 'error-text',
    value: JSON.stringify(envelope),
  };
}

function errorEnvelope(error_text: string): Envelope {
  return { type: 'error', error_text, metadata: { duration_ms: 0 } };
}

/** A call without a result gets an error: otherwise the endpoint rejects the whole history. */
function getError(part: Omit<StoredToolPart, 'id'>, aborted: boolean): string {
  switch (part.state) {
    case 'output-error':
      return part.errorText ?? 'The call failed.';
    case 'output-denied':
      return part.errorText ?? 'The user declined this call.';
    case 'approval-requested':
      return 'The user did not answer the permission request, so the call did not run.';
    default:
      return aborted
        ? 'The user cancelled the turn before this call ended; it may have run in part.'
        : ABORTED_BY_RESTART;
  }
}

/** Returns the id, with a suffix if the conversation already uses it, and registers it. */
export function uniqueId(id: string, taken: Set<string>): string {
  const base = id === '' ? 'call' : id;
  let unique = base;
  for (let count = 2; taken.has(unique); count++) unique = `${base}-${count}`;
  taken.add(unique);
  return unique;
}
