import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { createModelFetch } from './endpoint/modelFetch.ts';

/**
 * A model that the loop can call. Never a bare string: `ai` would send that to a hosted gateway.
 */
export type ChatModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;

/** One request in the provider's own format, without the SDK's layers. */
export type ModelCall = Parameters<ChatModel['doStream']>[0];
export type ModelPrompt = ModelCall['prompt'];
export type ModelMessage = ModelPrompt[number];

/** One part of a model's streamed answer. */
export type ModelPart = StreamOf<Awaited<ReturnType<ChatModel['doStream']>>['stream']>;
type StreamOf<Stream> = Stream extends ReadableStream<infer Part> ? Part : never;

export interface ModelOptions {
  /** The URL without `/chat/completions`, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly id: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a model at an OpenAI-compatible endpoint. Only ever connects to the host of `baseUrl`.
 */
export function createModel(options: ModelOptions): ChatModel {
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: options.baseUrl.replace(/\/+$/, ''),
    includeUsage: true,
    fetch: createModelFetch(options.fetch),
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
    ...(options.headers && { headers: { ...options.headers } }),
  });
  return provider.chatModel(options.id);
}
