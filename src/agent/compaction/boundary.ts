import { isRecord } from '../../base/json.ts';
import type { Envelope } from '../../base/stream/envelope.ts';
import { isToolBody, type PartBody, STEP, type ToolBody } from '../../base/stream/fold.ts';
import type { HistoryMessage } from '../../base/stream/historyMessage.ts';
import { countJson } from './sizes.ts';

/** Outputs up to this size stay: what stands in their place is not much shorter. Characters. */
const SMALL = 600;

/**
 * What the model is sent of a session: without hidden messages and commands, and with what was
 * compacted replaced. The record itself never changes (spec CS-86): a compaction is a part of it that
 * says where the rest begins, so that live and reloaded sessions agree, and a rewind hides it too.
 */
export function applyCompactions(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const shown = findRecent(messages);
  const { pruned, summed } = findMarks(shown);
  const kept = pruned === undefined ? shown : prune(shown, pruned);
  return summed === undefined ? kept : replace(kept, summed);
}

export function findShown(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return messages.filter(isShown);
}

function isShown({ role, metadata: { hidden_at, command } }: HistoryMessage): boolean {
  return hidden_at === undefined && (role !== 'user' || command === undefined);
}

/**
 * The shown messages from the tail of the last summary on: nothing before it is sent, and looking at it
 * again for each request would make every turn of a session cost more than the one before.
 */
export function findRecent(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const recent: HistoryMessage[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
    const message = messages[at];
    if (message === undefined || !isShown(message)) continue;
    recent.push(message);
    left = left === Number.POSITIVE_INFINITY ? countTail(message) : left - 1;
  }
  return recent.reverse();
}

/** How many messages before this one its summary leaves as they are; infinite without one. */
function countTail({ parts }: HistoryMessage): number {
  for (const part of parts.toReversed()) {
    if (part.type !== 'data-compaction' || !('data' in part) || !isRecord(part.data)) continue;
    const { status, summary, tail_start_id, tail_messages } = part.data;
    if (status !== 'completed' || typeof summary !== 'string' || summary === '') continue;
    if (typeof tail_start_id !== 'string') return 0;
    return typeof tail_messages === 'number' ? tail_messages : Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}

/** Where a compaction is, and from where on it leaves the conversation as it was. */
export interface Mark {
  /** The index of its message, and of its part in that. */
  readonly message: number;
  readonly part: number;
  /** The index of the first message that stays; that of its own message if none before it does. */
  readonly tail: number;
  /** Of its own message, the index of the first part that stays. */
  readonly own: number;
  readonly summary?: string;
  readonly outputCharacters?: number;
}

/** The last summary, and the last time after it that outputs were left out. */
export function findMarks(messages: readonly HistoryMessage[]) {
  let pruned: Mark | undefined;
  for (let message = messages.length - 1; message >= 0; message--) {
    const parts = messages[message]?.parts ?? [];
    for (let part = parts.length - 1; part >= 0; part--) {
      const mark = readMark(messages, message, part);
      if (mark?.summary !== undefined) {
        const cut = mark.outputCharacters === undefined ? undefined : mark;
        return { pruned: pruned ?? cut, summed: mark };
      }
      pruned ??= mark;
    }
  }
  return { pruned, summed: undefined };
}

function readMark(
  messages: readonly HistoryMessage[],
  message: number,
  part: number,
): Mark | undefined {
  const body = messages[message]?.parts[part];
  if (body?.type !== 'data-compaction' || !('data' in body) || !isRecord(body.data)) return;
  const { status, summary, tail_start_id, tail_messages, tail_start_step } = body.data;
  if (status !== 'completed') return;
  const { tail_output_characters: cut } = body.data;
  return {
    ...{ message, part },
    tail: findTail(messages, message, tail_start_id, tail_messages),
    own: findStep(messages[message]?.parts ?? [], part, tail_start_step),
    ...(typeof summary === 'string' && summary !== '' && { summary }),
    ...(typeof cut === 'number' && { outputCharacters: cut }),
  };
}

/** In a copy of the session the ids are others, and the number of messages is the same. */
function findTail(
  messages: readonly HistoryMessage[],
  end: number,
  id: unknown,
  count: unknown,
): number {
  if (typeof id !== 'string') return end;
  const at = messages.findIndex((message) => message.id === id);
  if (at >= 0 && at <= end) return at;
  return typeof count === 'number' ? Math.min(end, Math.max(0, end - count)) : end;
}

function findStep(parts: readonly PartBody[], end: number, step: unknown): number {
  if (typeof step !== 'number') return end;
  if (step === 0) return 0;
  const marks = parts.flatMap(({ type }, index) => (type === STEP && index < end ? [index] : []));
  return marks[step - 1] ?? end;
}

/** Outputs before the tail become notes, and those in it are cut if the mark says so. */
function prune(messages: readonly HistoryMessage[], mark: Mark): readonly HistoryMessage[] {
  return messages.map((message, index) => {
    if (index > mark.message) return message;
    const { outputCharacters: most } = mark;
    const cut = (part: PartBody) => (most === undefined ? part : cutOutput(part, most));
    if (index >= mark.tail && index < mark.message) {
      return most === undefined ? message : { ...message, parts: message.parts.map(cut) };
    }
    const end = index < mark.message ? message.parts.length : mark.own;
    const parts = message.parts.map((part, at) => {
      if (at < end) return dropOutput(part);
      return at < mark.part || index < mark.message ? cut(part) : part;
    });
    return { ...message, parts };
  });
}

/** The summary stands for what comes before the tail. */
function replace(messages: readonly HistoryMessage[], mark: Mark): readonly HistoryMessage[] {
  const own = messages[mark.message];
  if (own === undefined) return messages;
  const parts = own.parts.filter((_, index) => index >= mark.own && index !== mark.part);
  return [
    toSummaryMessage(mark.summary ?? ''),
    ...messages.slice(mark.tail, mark.message),
    { ...own, parts },
    ...messages.slice(mark.message + 1),
  ];
}

function toSummaryMessage(summary: string): HistoryMessage {
  const text = `${SUMMARY_HEAD}\n\n${summary}`;
  return { role: 'user', metadata: {}, parts: [{ type: 'text', text }] };
}

const SUMMARY_HEAD =
  'The conversation so far was too long and was replaced by this summary of it, which you wrote. Go on from here as if you remembered it, and read files again before you rely on their exact content.';

/** A call keeps its arguments and its outcome; a note says what stood there. */
export function dropOutput(part: PartBody): PartBody {
  if (!isToolBody(part) || !isLarge(part, SMALL)) return part;
  const size = countJson(part.output);
  const path = part.output?.metadata.output_path;
  const where =
    path === undefined ? 'Call the tool again' : `Read ${path}, or call the tool again,`;
  return withOutput(
    part,
    `${size} characters were left out here to save context. ${where} if they are still needed.`,
  );
}

/** The beginning of an output that is longer. */
function cutOutput(part: PartBody, most: number): PartBody {
  if (!isToolBody(part) || !isLarge(part, most + SMALL)) return part;
  const text = part.output?.type === 'error' ? part.output.error_text : toText(part.output?.data);
  const head = text.slice(0, most);
  return withOutput(
    part,
    `${head}\n(${text.length - head.length} more characters were left out because the context is too small for them. Read a smaller part.)`,
  );
}

function isLarge({ output }: ToolBody, most: number): boolean {
  return output !== undefined && countJson(output) > most;
}

function toText(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data, null, 1);
}

function withOutput(part: ToolBody, text: string): ToolBody {
  const { output } = part;
  if (output === undefined) return part;
  const next: Envelope =
    output.type === 'error' ? { ...output, error_text: text } : { ...output, data: text };
  return { ...part, output: next };
}
