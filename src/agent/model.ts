import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';

/** A model the loop can call. A bare string is not one: `ai` would send it to a hosted gateway. */
export type ChatModel = Exclude<LanguageModel, string>;

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
