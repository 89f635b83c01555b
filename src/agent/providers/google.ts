import { createModelFetch } from '../endpoint/modelFetch.ts';
import type { ModelCall } from '../model.ts';
import { findKnown } from '../models/knownModels.ts';
import { readText, toList, toName, toTokens } from '../models/lists.ts';
import type { ModelAccess, ModelInfo, Provider } from '../models/provider.ts';
import { readJson } from '../models/readJson.ts';
import { withCalls, withOptions } from '../models/wrap.ts';

/** Google's Gemini API. */
export const google: Provider = {
  id: 'google',
  label: 'Google Gemini',
  kind: 'cloud',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  key: 'required',
  keyId: 'model/google',
  keyVariable: 'GEMINI_API_KEY',
  listModels,
  async open({ baseUrl, apiKey = '', fetch }, id) {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({ baseURL: baseUrl, apiKey, fetch: createModelFetch(fetch) });
    return withCalls(provider.languageModel(id), showThoughts);
  },
};

function showThoughts(call: ModelCall): ModelCall {
  return withOptions(call, 'google', { thinkingConfig: { includeThoughts: true } });
}

async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const headers = { 'x-goog-api-key': access.apiKey ?? '' };
  const answer = await readJson(access, `${access.baseUrl}/models?pageSize=1000`, { headers });
  return toList(answer, 'models').flatMap((model) => {
    const id = readText(model, 'name')?.replace(/^models\//, '');
    const methods = model['supportedGenerationMethods'];
    const chats = Array.isArray(methods) && methods.includes('generateContent');
    if (id === undefined || !chats || OTHER.test(id)) return [];
    const name = toName(readText(model, 'displayName'));
    const contextTokens = toTokens(model['inputTokenLimit']);
    return [
      { id, images: true, tools: true, ...findKnown('google', id), ...name, ...contextTokens },
    ];
  });
}

const OTHER = /embedding|tts|image|aqa|audio|veo|live/;
