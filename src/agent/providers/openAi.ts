import { createModelFetch } from '../endpoint/modelFetch.ts';
import type { ChatModel, ModelCall } from '../model.ts';
import { findKnown } from '../models/knownModels.ts';
import { readText, toList } from '../models/lists.ts';
import type { ModelAccess, ModelInfo, Provider } from '../models/provider.ts';
import { readJson } from '../models/readJson.ts';
import { withCalls, withOptions } from '../models/wrap.ts';

const SHARED = {
  kind: 'cloud',
  baseUrl: 'https://api.openai.com/v1',
  key: 'required',
  keyId: 'model/openai',
  keyVariable: 'OPENAI_API_KEY',
  listModels,
} as const;

/** OpenAI's Responses API. */
export const openAi: Provider = {
  ...SHARED,
  id: 'openai',
  label: 'OpenAI',
  async open(access, id) {
    const provider = await createProvider(access);
    return withCalls(provider.responses(id), keepNothing);
  },
};

/** OpenAI's Chat Completions API. */
export const openAiChat: Provider = {
  ...SHARED,
  id: 'openai-chat',
  label: 'OpenAI (Chat Completions)',
  async open(access, id): Promise<ChatModel> {
    const provider = await createProvider(access);
    return provider.chat(id);
  },
};

async function createProvider({ baseUrl, apiKey = '', fetch }: ModelAccess) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI({ baseURL: baseUrl, apiKey, fetch: createModelFetch(fetch) });
}

/** OpenAI stores nothing; so the reasoning comes back encrypted, and goes out again with the next request. */
function keepNothing(call: ModelCall): ModelCall {
  return withOptions(call, 'openai', { store: false, reasoningSummary: 'auto' });
}

async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const answer = await readJson(access, `${access.baseUrl}/models`);
  return toList(answer, 'data').flatMap((model) => {
    const id = readText(model, 'id');
    if (id === undefined || !CHAT.test(id) || OTHER.test(id)) return [];
    return [{ id, tools: true, images: true, ...findKnown('openai', id) }];
  });
}

/** The list has no kinds: models that chat by their names, without those that do something else. */
const CHAT = /^(gpt-|o\d|chatgpt-|codex-|ft:gpt-)/;
const OTHER = /audio|realtime|transcribe|tts|image|search|instruct|embedding|moderation/;
