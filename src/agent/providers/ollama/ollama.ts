import { toRecord } from '../../../base/json.ts';
import { readText, toList, toTokens } from '../../models/lists.ts';
import { FREE } from '../../models/price.ts';
import type { ModelAccess, ModelInfo, Provider } from '../../models/provider.ts';
import { readJson } from '../../models/readJson.ts';
import { toRoot } from './address.ts';

/**
 * The largest context window that is used unless the user sets another one: Ollama reserves memory for all
 * of it, and a window that doesn't fit the graphics card makes each answer many times slower.
 */
const MOST_CONTEXT = 32_768;

/**
 * Ollama by its own API. Its OpenAI-compatible one ignores `num_ctx`, so that the conversation is cut to
 * 4,096 tokens on most machines without a word.
 */
export const ollama: Provider = {
  id: 'ollama',
  label: 'Ollama',
  kind: 'local',
  baseUrl: 'http://127.0.0.1:11434',
  key: 'none',
  keyId: 'model/ollama',
  listModels,
  describe,
  async open(access, id, { contextTokens }) {
    const { createOllamaModel } = await import('./ollamaModel.ts');
    return createOllamaModel({ ...access, id, contextTokens });
  },
};

/** Models that only embed are left out; details of all of them would be a request each. */
async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const answer = await readJson(access, `${toRoot(access)}/api/tags`);
  return toList(answer, 'models').flatMap((model) => {
    const id = readText(model, 'model') ?? readText(model, 'name');
    return id === undefined || /embed/.test(id) ? [] : [{ id, price: FREE }];
  });
}

async function describe(access: ModelAccess, id: string): Promise<ModelInfo> {
  const answer = await readJson(access, `${toRoot(access)}/api/show`, { body: { model: id } });
  const { capabilities, model_info, parameters } = toRecord(answer);
  const known = Array.isArray(capabilities) ? capabilities : undefined;
  return {
    id,
    price: FREE,
    ...toTokens(toWindow(toRecord(model_info), parameters)),
    ...(known && { images: known.includes('vision'), tools: known.includes('tools') }),
  };
}

/** The window that the model's author set, else the model's own up to what most machines can hold. */
function toWindow(facts: Readonly<Record<string, unknown>>, parameters: unknown): unknown {
  const set = /^num_ctx\s+(\d+)/m.exec(typeof parameters === 'string' ? parameters : '')?.[1];
  if (set !== undefined) return Number(set);
  const [, trained] = Object.entries(facts).find(([key]) => key.endsWith('.context_length')) ?? [];
  return typeof trained === 'number' ? Math.min(trained, MOST_CONTEXT) : undefined;
}
