import { createModelFetch } from '../endpoint/modelFetch.ts';
import { cachePrompt } from '../models/cachePrompt.ts';
import { findKnown } from '../models/knownModels.ts';
import { readText, toList, toName, toTokens } from '../models/lists.ts';
import type { ModelAccess, ModelInfo, Provider } from '../models/provider.ts';
import { readJson } from '../models/readJson.ts';
import { withCalls } from '../models/wrap.ts';

/** Anthropic's Messages API. */
export const anthropic: Provider = {
  id: 'anthropic',
  label: 'Anthropic',
  kind: 'cloud',
  baseUrl: 'https://api.anthropic.com/v1',
  key: 'required',
  keyId: 'model/anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  listModels,
  async open({ baseUrl, apiKey = '', fetch }, id) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const provider = createAnthropic({ baseURL: baseUrl, apiKey, fetch: createModelFetch(fetch) });
    return withCalls(provider.languageModel(id), cachePrompt);
  },
};

async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const headers = { 'x-api-key': access.apiKey ?? '', 'anthropic-version': '2023-06-01' };
  const answer = await readJson(access, `${access.baseUrl}/models?limit=1000`, { headers });
  return toList(answer, 'data').flatMap((model) => {
    const id = readText(model, 'id');
    if (id === undefined) return [];
    const name = toName(readText(model, 'display_name'));
    const contextTokens = toTokens(model['max_input_tokens']);
    return [
      { id, images: true, tools: true, ...findKnown('anthropic', id), ...name, ...contextTokens },
    ];
  });
}
