import type { ChatModel } from '../model.ts';
import type { Price } from './price.ts';

/** Every provider of models, in the order in which they are offered. */
export const PROVIDER_IDS = [
  'vscode',
  'ollama',
  'lmstudio',
  'llamacpp',
  'anthropic',
  'openai',
  'openai-chat',
  'google',
  'openrouter',
  'openai-compatible',
] as const;

export type ProviderId = (typeof PROVIDER_IDS)[number];

/** Where a provider's models are, and what opens the door. */
export interface ModelAccess {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** What is known of a model. An absent field is unknown. */
export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
  /** Its context window in tokens. */
  readonly contextTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly price?: Price;
  /** Who pays for it, where one provider serves the models of several. */
  readonly account?: string;
}

export interface OpenOptions {
  /** The context window that requests use; 0 when unknown. */
  readonly contextTokens: number;
}

/** One way to reach models. A provider's code is loaded when it is first used. */
export interface Provider {
  readonly id: ProviderId;
  readonly label: string;
  /** `editor`: served by the client. `local`: a program on this machine, which costs nothing. */
  readonly kind: 'editor' | 'local' | 'cloud' | 'endpoint';
  /** Undefined: the user names it. */
  readonly baseUrl: string | undefined;
  readonly key: 'none' | 'optional' | 'required';
  /** The id of its key in the editor's secret storage. */
  readonly keyId: string;
  /** The environment variable in which its own tools expect the key. */
  readonly keyVariable?: string;
  listModels(access: ModelAccess): Promise<readonly ModelInfo[]>;
  /** What the provider says of one model, where the list doesn't. */
  describe?(access: ModelAccess, id: string): Promise<ModelInfo>;
  open(access: ModelAccess, id: string, options: OpenOptions): Promise<ChatModel>;
}

/** Which model of which provider. */
export interface ModelRef {
  readonly provider: ProviderId;
  readonly id: string;
}

/** `provider:id`. A text whose beginning is no provider is an id of `fallback`. */
export function parseModelRef(text: string, fallback: ProviderId): ModelRef {
  const colon = text.indexOf(':');
  const provider = PROVIDER_IDS.find((each) => each === text.slice(0, Math.max(0, colon)));
  if (provider === undefined) return { provider: fallback, id: text };
  return { provider, id: text.slice(colon + 1) };
}

/** The models of an OpenAI-compatible endpoint keep their plain ids. */
export function formatModelRef({ provider, id }: ModelRef): string {
  return provider === 'openai-compatible' ? id : `${provider}:${id}`;
}

/** The address without slashes at its end, as `ModelAccess` has it. */
export function toBaseUrl(text: string): string {
  return text.replace(/\/+$/, '');
}
