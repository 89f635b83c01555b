import { toRecord } from '../../base/json.ts';
import { createModel } from '../model.ts';
import { readText, toList, toTokens } from '../models/lists.ts';
import { FREE } from '../models/price.ts';
import type { ModelAccess, ModelInfo, Provider } from '../models/provider.ts';
import { readJson } from '../models/readJson.ts';

/** Any endpoint that speaks OpenAI's Chat Completions. */
export const compatible: Provider = {
  id: 'openai-compatible',
  label: 'OpenAI-Compatible Endpoint',
  kind: 'endpoint',
  baseUrl: undefined,
  key: 'optional',
  keyId: 'model/openai-compatible',
  listModels: (access) => listCompatible(access),
  open,
};

/** LM Studio, whose own list names context windows. */
export const lmStudio: Provider = {
  id: 'lmstudio',
  label: 'LM Studio',
  kind: 'local',
  baseUrl: 'http://127.0.0.1:1234/v1',
  key: 'none',
  keyId: 'model/lmstudio',
  listModels: listLmStudio,
  open,
};

/** The server of llama.cpp, which has one model. */
export const llamaCpp: Provider = {
  id: 'llamacpp',
  label: 'llama.cpp',
  kind: 'local',
  baseUrl: 'http://127.0.0.1:8080/v1',
  key: 'none',
  keyId: 'model/llamacpp',
  listModels: listLlamaCpp,
  open,
};

async function open({ baseUrl, apiKey, fetch }: ModelAccess, id: string) {
  return createModel({
    baseUrl,
    id,
    ...(apiKey !== undefined && { apiKey }),
    ...(fetch && { fetch }),
  });
}

async function listCompatible(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const answer = await readJson(access, `${access.baseUrl}/models`);
  return toList(answer, 'data').flatMap((model) => {
    const id = readText(model, 'id');
    if (id === undefined) return [];
    const window = model['max_model_len'] ?? model['context_length'] ?? model['context_window'];
    return [{ id, ...toTokens(window) }];
  });
}

async function listLmStudio(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const url = `${access.baseUrl.replace(/\/v1$/, '')}/api/v0/models`;
  const answer = await readJson(access, url).catch(() => undefined);
  // Older versions have no list of their own.
  if (answer === undefined) return (await listCompatible(access)).map(toFree);
  return toList(answer, 'data').flatMap((model) => {
    const id = readText(model, 'id');
    if (id === undefined || model['type'] === 'embeddings') return [];
    const abilities = model['capabilities'];
    return [
      {
        id,
        price: FREE,
        images: model['type'] === 'vlm',
        ...(Array.isArray(abilities) && { tools: abilities.includes('tool_use') }),
        ...toTokens(model['loaded_context_length'] ?? model['max_context_length']),
      },
    ];
  });
}

async function listLlamaCpp(access: ModelAccess): Promise<readonly ModelInfo[]> {
  const [models, props] = await Promise.all([
    listCompatible(access),
    readJson(access, `${access.baseUrl.replace(/\/v1$/, '')}/props`).catch(() => undefined),
  ]);
  const facts = toRecord(props);
  const images = toRecord(facts['modalities'])['vision'];
  const window = toTokens(toRecord(facts['default_generation_settings'])['n_ctx']);
  return models.map((model) => ({
    ...toFree(model),
    ...window,
    ...(typeof images === 'boolean' && { images }),
  }));
}

function toFree(model: ModelInfo): ModelInfo {
  return { ...model, price: FREE };
}
