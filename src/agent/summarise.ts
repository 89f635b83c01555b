import { type Clock, sleep } from '../base/clock.ts';
import { failure, type Outcome } from '../base/outcome.ts';
import type { Usage } from '../base/stream/stored.ts';
import { type ModelFailure, toFault } from './endpoint/faults.ts';
import { backOff } from './endpoint/retry.ts';
import { watchStream } from './endpoint/stall.ts';
import type { ModelMessage, ModelPart } from './model.ts';
import { toUsage } from './modelUsage.ts';
import type { Turn } from './turn.ts';

export interface SummaryRequest {
  /** What the model is told to write. */
  readonly system: string;
  /** The conversation as plain text. */
  readonly text: string;
  /** What the user wants the summary to keep. */
  readonly focus?: string;
  /** Characters of one request; a longer conversation is summarised piece by piece (spec CS-87). */
  readonly most: number;
  onUsage(usage: Usage): void;
}

type Asked = Pick<Turn, 'model' | 'limits' | 'secrets' | 'signal'>;

/** Times a request that failed in a way that often passes is repeated (spec CS-86). */
const RETRIES = 2;

/** Requests for one summary. A conversation of more pieces loses its middle. */
const PIECES = 8;

/** Characters of a summary; a model that goes on is cut short. */
const LONGEST = 24_000;

/** Times the pieces are halved after the endpoint refused one as too long. */
const HALVINGS = 3;

/**
 * Asks a model for a summary, without tools. Fails with a message for the user; rejects only
 * on abort.
 */
export async function summarise(
  turn: Asked,
  request: SummaryRequest,
  clock: Clock,
): Promise<Outcome<string>> {
  let { most } = request;
  for (let attempt = 0; ; attempt++) {
    const summary = await summarisePieces(turn, { ...request, most }, clock);
    if (summary.ok) return summary;
    const { kind, text } = summary.fault;
    if (kind !== 'context-length' || attempt >= HALVINGS) return failure(text);
    most = Math.floor(Math.min(most, request.text.length) / 2);
  }
}

type Summary =
  | { readonly ok: true; readonly data: string }
  | { readonly ok: false; readonly fault: ModelFailure };

async function summarisePieces(
  turn: Asked,
  request: SummaryRequest,
  clock: Clock,
): Promise<Summary> {
  let summary = '';
  const { focus, onUsage, system } = request;
  for (const piece of toPieces(request.text, request.most)) {
    const words = toWords(piece, summary, focus);
    const asked = { system, words, longest: LONGEST, onUsage };
    const next = await askForText(turn, asked, clock);
    if (!next.ok) return next;
    summary = next.data;
  }
  return { ok: true, data: summary };
}

/** Without the middle if there are too many (spec CS-87): the task and its end matter most. */
function toPieces(text: string, most: number): readonly string[] {
  const count = Math.ceil(text.length / most);
  const pieces = Array.from({ length: count }, (_, at) => text.slice(at * most, (at + 1) * most));
  if (count <= PIECES) return pieces;
  const note = `(${count - PIECES} parts of the conversation are left out here.)\n\n`;
  const [first = '', ...rest] = pieces;
  const [next = '', ...last] = rest.slice(-(PIECES - 1));
  return [first, note + next, ...last];
}

export interface TextRequest {
  /** Empty: none. */
  readonly system: string;
  /** The user's message, or a whole conversation. */
  readonly words: string | readonly ModelMessage[];
  /** Tokens of the answer. Absent: the provider's limit. */
  readonly maxTokens?: number;
  /** Characters of the answer; a model that goes on is cut short. */
  readonly longest: number;
  onUsage(usage: Usage): void;
  /** The answer has reached a limit. */
  onCut?(): void;
}

/** Asks the model one thing, without tools. Rejects only on abort. */
export async function askForText(
  turn: Asked,
  request: TextRequest,
  clock: Clock,
): Promise<Summary> {
  const retries = Math.min(RETRIES, turn.limits.modelRetries);
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(turn, request, clock);
    if (answer.ok) return answer;
    const wait = backOff(answer.fault, attempt, retries);
    if (wait === undefined) return answer;
    await sleep(clock, wait, turn.signal);
  }
}

async function ask(
  { model, limits, secrets, signal }: Asked,
  { longest, onUsage, onCut, ...asked }: TextRequest,
  clock: Clock,
): Promise<Summary> {
  const request = new AbortController();
  let text = '';
  try {
    const opening = Promise.resolve(
      model.doStream({ ...toCall(asked), abortSignal: request.signal }),
    ).then(({ stream }) => stream);
    const patience = { firstMs: limits.modelFirstChunkMs, chunkMs: limits.modelChunkMs };
    for await (const part of watchStream(opening, isContent, patience, clock, signal)) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') text += part.delta;
      const usage = part.type === 'finish' ? toUsage(part.usage) : undefined;
      if (usage) onUsage(usage);
      if (part.type === 'finish' && part.finishReason.unified === 'length') onCut?.();
      if (text.length <= longest) continue;
      onCut?.();
      break;
    }
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, fault: toFault(error, clock.now(), secrets?.()) };
  } finally {
    request.abort();
  }
  signal.throwIfAborted();
  const summary = text.trim().slice(0, longest);
  return summary === '' ? { ok: false, fault: NOTHING } : { ok: true, data: summary };
}

function toCall({ system, words, maxTokens }: Pick<TextRequest, 'system' | 'words' | 'maxTokens'>) {
  const messages: readonly ModelMessage[] =
    typeof words === 'string'
      ? [{ role: 'user', content: [{ type: 'text', text: words }] }]
      : words;
  const first: readonly ModelMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  return {
    prompt: [...first, ...messages],
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}

function isContent(part: ModelPart): boolean {
  return part.type !== 'stream-start';
}

const NOTHING: ModelFailure = {
  kind: 'other',
  retryable: true,
  text: 'The model sent an empty answer.',
};

function toWords(piece: string, before: string, focus: string | undefined): string {
  return [
    ...(before === '' ? [] : [`The summary of what came before:\n${before}`]),
    `The conversation${before === '' ? '' : ' after that'}:\n<conversation>\n${piece.replaceAll('</conversation', '< /conversation')}\n</conversation>`,
    ...(focus === undefined ? [] : [`The user asks the summary to keep in particular: ${focus}`]),
    before === '' ? 'Write the summary now.' : 'Write one summary of both now.',
  ].join('\n\n');
}
