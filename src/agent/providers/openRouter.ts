import { toRecord } from '../../base/json.ts';
import { createModelFetch } from '../endpoint/modelFetch.ts';
import { cachePrompt } from '../models/cachePrompt.ts';
import { readText, toList, toName, toTokens } from '../models/lists.ts';
import type { Price } from '../models/price.ts';
import type { ModelAccess, ModelInfo, Provider } from '../models/provider.ts';
import { readJson } from '../models/readJson.ts';
import { withCalls } from '../models/wrap.ts';

/** OpenRouter, whose list names each model's price. */
export const openRouter: Provider = {
  id: 'openrouter',
  label: 'OpenRouter',
  kind: 'cloud',
  baseUrl: 'https://openrouter.ai/api/v1',
  key: 'required',
  keyId: 'model/openrouter',
  keyVariable: 'OPENROUTER_API_KEY',
  listModels,
  async open({ baseUrl, apiKey = '', fetch }, id) {
    const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
    const provider = createOpenRouter({
      baseURL: baseUrl,
      apiKey,
      compatibility: 'strict',
      appName: 'Gatehouse',
      // The package's type is wider than the standard's.
      fetch: createModelFetch(fetch),
    });
    const model = provider.chat(id, { usage: { include: true } });
    // Models of others cache by themselves.
    return id.startsWith('anthropic/') ? withCalls(model, cachePrompt) : model;
  },
};

async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const answer = await readJson(access, `${access.baseUrl}/models`);
  return toList(answer, 'data').flatMap((model) => {
    const id = readText(model, 'id');
    if (id === undefined) return [];
    const price = toPrice(toRecord(model['pricing']));
    const modalities = toRecord(model['architecture'])['input_modalities'];
    const parameters = model['supported_parameters'];
    return [
      {
        id,
        ...toName(readText(model, 'name')),
        ...toTokens(model['context_length']),
        ...(Array.isArray(modalities) && { images: modalities.includes('image') }),
        ...(Array.isArray(parameters) && { tools: parameters.includes('tools') }),
        ...(price && { price }),
      },
    ];
  });
}

/** The list has dollars for one token, as texts; negative ones mean that it varies. */
function toPrice(pricing: Readonly<Record<string, unknown>>): Price | undefined {
  const input = perMillion(pricing['prompt']);
  const output = perMillion(pricing['completion']);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(pricing['input_cache_read']);
  const cacheWrite = perMillion(pricing['input_cache_write']);
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function perMillion(value: unknown): number | undefined {
  const dollars = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  // Twelve digits are enough, and leave no rounding errors such as 2.9999999999999996.
  return dollars >= 0 ? Number((dollars * 1_000_000).toPrecision(12)) : undefined;
}
