import type {
  ListedModel,
  ListedProvider,
  ModelListing,
  ModelsQuery,
} from '../../acp/gatehouse/configure.ts';
import { PRICES } from '../../agent/models/prices.ts';
import { formatModelRef, type ModelInfo, PROVIDER_IDS } from '../../agent/models/provider.ts';
import type { FoundModels } from '../models/modelService.ts';
import type { HostServices } from '../services/hostServices.ts';
import { toAccessParts } from './toAccessParts.ts';

/** The models that could be chosen, for the editor. */
export async function listModels(
  services: HostServices,
  { provider, refresh, baseUrl, unasked }: ModelsQuery,
): Promise<ModelListing> {
  const models = await services.models();
  const id = PROVIDER_IDS.find((each) => each === provider);
  const found = await models.list(toAccessParts(services), {
    ...(id !== undefined && { provider: id }),
    ...(refresh !== undefined && { refresh }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(unasked !== undefined && { unasked }),
  });
  return { pricesFrom: PRICES.date, providers: found.map(toListed) };
}

function toListed({ provider, access, models, problem, absent }: FoundModels): ListedProvider {
  const { id, label, kind, key, keyId } = provider;
  const needsKey = key === 'required' && access?.apiKey === undefined && problem === undefined;
  return {
    ...{ id, label, kind },
    state: absent ? 'absent' : problem !== undefined ? 'failed' : needsKey ? 'key' : 'found',
    ...(key !== 'none' && { keyId }),
    ...(access && kind !== 'editor' && { baseUrl: access.baseUrl }),
    ...(access?.keyFrom !== undefined && { keyFrom: access.keyFrom }),
    ...(problem !== undefined && { problem }),
    models: models.map((model) => toModel(model, formatModelRef({ provider: id, id: model.id }))),
  };
}

function toModel(model: ModelInfo, ref: string): ListedModel {
  const { id, name, contextTokens, images, tools, price, account } = model;
  return {
    ...{ ref, id },
    ...(name !== undefined && { name }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(images !== undefined && { images }),
    ...(tools !== undefined && { tools }),
    ...(price && { price: { input: price.input, output: price.output } }),
    ...(account !== undefined && { account }),
  };
}
