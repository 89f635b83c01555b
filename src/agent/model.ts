import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';

/** A model the loop can call: a provider's, never a bare string, which `ai` would send to a hosted gateway. */
export type ChatModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;

/** What one request carries: the provider's own words, without a layer of the SDK between. */
export type ModelCall = Parameters<ChatModel['doStream']>[0];
export type ModelPrompt = ModelCall['prompt'];
export type ModelMessage = ModelPrompt[number];

/** What a model's answer is made of. */
export type ModelPart = StreamOf<Awaited<ReturnType<ChatModel['doStream']>>['stream']>;
type StreamOf<Stream> = Stream extends ReadableStream<infer Part> ? Part : never;

export interface ModelOptions {
  /** Up to and without `/chat/completions`, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly id: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any OpenAI-compatible endpoint. It talks to the host of `baseUrl` and to no other. */
export function createModel(options: ModelOptions): ChatModel {
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: options.baseUrl.replace(/\/+$/, ''),
    includeUsage: true,
    fetch: stayOnHost(options.fetch ?? globalThis.fetch),
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
    ...(options.headers && { headers: { ...options.headers } }),
  });
  return provider.chatModel(options.id);
}

/** A redirect would carry the conversation to a host the user never named: it is an error instead. */
function stayOnHost(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'manual' });
}
