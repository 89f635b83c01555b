import { APICallError } from 'ai';
import { asString, toRecord } from '../../../base/json.ts';
import { createModelFetch } from '../../endpoint/modelFetch.ts';
import type { ChatModel, ModelCall, ModelPart } from '../../model.ts';
import { bearer } from '../../models/readJson.ts';
import { toRoot } from './address.ts';
import { createOllamaAnswer } from './ollamaAnswer.ts';
import { toOllamaMessages } from './ollamaMessages.ts';

export interface OllamaOptions {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly id: string;
  /** The context window to reserve; 0: Ollama's default. */
  readonly contextTokens: number;
}

/** A model of Ollama's `/api/chat`, with the context window that requests need. */
export function createOllamaModel(options: OllamaOptions): ChatModel {
  return {
    specificationVersion: 'v4',
    provider: 'ollama',
    modelId: options.id,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Gatehouse only streams answers.')),
    doStream: async (call) => ({ stream: await stream(options, call) }),
  };
}

async function stream(options: OllamaOptions, call: ModelCall): Promise<ReadableStream<ModelPart>> {
  const url = `${toRoot(options)}/api/chat`;
  const body = toBody(options, call);
  const response = await send(options, url, body, call.abortSignal);
  const answer = createOllamaAnswer();
  const lines = splitLines();
  return response.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, ModelPart>({
      start: (to) => to.enqueue({ type: 'stream-start', warnings: [] }),
      transform(text, to) {
        for (const line of lines.take(text)) for (const part of answer.take(line)) to.enqueue(part);
      },
      flush(to) {
        for (const part of answer.take(lines.rest)) to.enqueue(part);
        for (const part of answer.end()) to.enqueue(part);
      },
    }),
  );
}

async function send(
  { fetch, apiKey }: OllamaOptions,
  url: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<BufferSource>> {
  const failed = { url, requestBodyValues: body };
  let response: Response;
  try {
    response = await createModelFetch(fetch, 'lines')(url, {
      method: 'POST',
      headers: { ...bearer(apiKey), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new APICallError({ ...failed, message: 'Ollama cannot be reached.', cause });
  }
  if (response.ok && response.body !== null) return response.body;
  const responseBody = await response.text();
  const statusCode = response.status;
  const responseHeaders = Object.fromEntries(response.headers);
  const message = toError(responseBody);
  throw new APICallError({ ...failed, statusCode, responseHeaders, responseBody, message });
}

/** `truncate` and `shift`: newer versions refuse what is too long, instead of cutting it without a word. */
function toBody({ id, contextTokens }: OllamaOptions, call: ModelCall): object {
  const tools = (call.tools ?? []).flatMap((tool) =>
    tool.type === 'function'
      ? [
          {
            type: 'function',
            function: {
              name: tool.name,
              description: tool.description ?? '',
              parameters: tool.inputSchema,
            },
          },
        ]
      : [],
  );
  return {
    model: id,
    messages: toOllamaMessages(call.prompt),
    stream: true,
    truncate: false,
    shift: false,
    ...(tools.length > 0 && { tools }),
    ...toThink(call.reasoning),
    ...(contextTokens > 0 && { options: { num_ctx: contextTokens } }),
  };
}

/** By default the model decides: one that can't think refuses to be told. */
function toThink(reasoning: ModelCall['reasoning']): { readonly think?: boolean } {
  if (reasoning === undefined || reasoning === 'provider-default') return {};
  return { think: reasoning !== 'none' };
}

function toError(body: string): string {
  try {
    return asString(toRecord(JSON.parse(body))['error']) ?? body;
  } catch {
    return body;
  }
}

/** Splits streamed text into lines. The pieces of a line are joined only once, when it is complete. */
function splitLines() {
  let open: string[] = [];
  return {
    get rest() {
      return open.join('');
    },
    take(text: string): readonly string[] {
      const [first = '', ...others] = text.split('\n');
      open.push(first);
      const last = others.pop();
      if (last === undefined) return [];
      const lines = [open.join(''), ...others];
      open = [last];
      return lines;
    },
  };
}
