import { Buffer } from 'node:buffer';
import type { Client } from '@modelcontextprotocol/client';
import { toRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import type { ModelAnswer, ModelAsk, ModelWords } from '../../runtime/sessionServices.ts';

/** What a server asks, without its names. */
export type SamplingRequest = Omit<ModelAsk, 'server' | 'written' | 'identity'>;

/** Asks the model of the session whose call runs. */
export type ServerSampler = (
  request: SamplingRequest,
  signal: AbortSignal,
) => Promise<Outcome<ModelAnswer>>;

export interface SamplingAnswers {
  /** Fails with the reason why the model is not asked now. */
  sampler(): Outcome<ServerSampler>;
}

/** Requests of one server at a time. */
const MOST_AT_ONCE = 2;

/** Answers `sampling/createMessage`: text only, and only while a call runs. */
export function answerSampling(client: Client, { sampler }: SamplingAnswers): void {
  let running = 0;
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    const asked = parseSampling(params);
    if (!asked.ok) throw refuse(asked.error);
    const sample = sampler();
    if (!sample.ok) throw refuse(sample.error);
    if (running >= MOST_AT_ONCE) throw refuse(`${MOST_AT_ONCE} requests to the model are running.`);
    running += 1;
    try {
      const answer = await sample.data(asked.data, mcpReq.signal);
      if (!answer.ok) throw refuse(answer.error);
      const { text, model, isCut } = answer.data;
      const content = { type: 'text', text } as const;
      return { role: 'assistant', content, model, stopReason: isCut ? 'maxTokens' : 'endTurn' };
    } finally {
      running -= 1;
    }
  });
}

const MOST_MESSAGES = 50;
const MOST_BYTES = 100 * KB;
const MOST_TOKENS = 4096;

/** Servers send anything. */
function parseSampling(params: unknown): Outcome<SamplingRequest> {
  const { messages, systemPrompt, maxTokens, tools, toolChoice, modelPreferences } =
    toRecord(params);
  if (tools !== undefined || toolChoice !== undefined) {
    return failure('A request to the model can have no tools here, only text.');
  }
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MOST_MESSAGES) {
    return failure(`A request to the model must have 1 to ${MOST_MESSAGES} messages.`);
  }
  const words = messages.map(toWords);
  const read = words.filter((each) => each !== undefined);
  if (read.length < words.length) {
    return failure('A request to the model can have text only, no images, audio or tool results.');
  }
  const system = typeof systemPrompt === 'string' ? systemPrompt : '';
  const bytes = Buffer.byteLength([system, ...read.map(({ text }) => text)].join(''));
  if (bytes > MOST_BYTES) {
    return failure(
      `A request to the model can have ${MOST_BYTES / KB} KB; this has ${bytes} bytes.`,
    );
  }
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1) {
    return failure('A request to the model must say how many tokens its answer may have.');
  }
  const limit = Math.min(Number(maxTokens), MOST_TOKENS);
  return success({ system, messages: read, maxTokens: limit, small: isSmall(modelPreferences) });
}

function toWords(message: unknown): ModelWords | undefined {
  const { role, content } = toRecord(message);
  if (role !== 'user' && role !== 'assistant') return undefined;
  const blocks = (Array.isArray(content) ? content : [content]).map(toRecord);
  const texts = blocks.map(({ type, text }) => (type === 'text' ? text : undefined));
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return { role, text: texts.join('\n') };
}

/** Speed or cost matters more to the server than intelligence. */
function isSmall(preferences: unknown): boolean {
  const of = (name: string) => Number(toRecord(preferences)[`${name}Priority`] ?? 0);
  return Math.max(of('speed'), of('cost')) > of('intelligence');
}

/** The code with which clients refuse such a request. */
const REFUSED = -1;

/** The answer to a request of a server that is not carried out. */
export function refuse(message: string): Error {
  return Object.assign(new Error(message), { code: REFUSED });
}
