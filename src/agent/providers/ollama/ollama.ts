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
  describe: (access, id) => describe(access, id),
  async open(access, id, { contextTokens }) {
    const { createOllamaModel } = await import('./ollamaModel.ts');
    return createOllamaModel({ ...access, id, contextTokens });
  },
};

/** How many models of the list are described, the ones used last first: each is a request. */
const DESCRIBED = 16;
/** How long a description may take, in milliseconds. The list has the model without it. */
const DESCRIBE_MS = 2_000;

/** Models that only embed are left out. */
async function listModels(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const answer = await readJson(access, `${toRoot(access)}/api/tags`);
  const ids = toList(answer, 'models')
    .flatMap((model) => readText(model, 'model') ?? readText(model, 'name') ?? [])
    .filter((id) => !/embed/.test(id));
  const known = ids
    .slice(0, DESCRIBED)
    .map((id) => describe(access, id, DESCRIBE_MS).catch(() => ({ id, price: FREE })));
  const rest = ids.slice(DESCRIBED).map((id) => ({ id, price: FREE }));
  return [...(await Promise.all(known)), ...rest];
}

async function describe(access: ModelAccess, id: string, ms?: number): Promise<ModelInfo> {
  const request = { body: { model: id }, ...(ms !== undefined && { ms }) };
  const answer = await readJson(access, `${toRoot(access)}/api/show`, request);
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
