import { toFault } from '../../agent/endpoint/faults.ts';
import type { ChatModel } from '../../agent/model.ts';
import { findKnown } from '../../agent/models/knownModels.ts';
import {
  type ModelInfo,
  type ModelRef,
  PROVIDER_IDS,
  type Provider,
  type ProviderId,
} from '../../agent/models/provider.ts';
import { PROVIDERS } from '../../agent/providers/providers.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { knownSecrets } from '../client/secrets.ts';
import { type AccessParts, findAccess, type ProviderAccess } from './access.ts';
import { createEditorAnswers, type EditorAnswers } from './editorAnswers.ts';
import { createEditorProvider } from './editorProvider.ts';

/** What a provider lists, or why it doesn't. */
export interface FoundModels {
  readonly provider: Provider;
  readonly access?: ProviderAccess;
  readonly models: readonly ModelInfo[];
  readonly problem?: string;
  readonly absent?: true;
  /** It was not asked, since the user asked for nothing. */
  readonly unasked?: true;
}

/** A model with all that a turn has to know of it. */
export interface ChosenModel {
  readonly ref: ModelRef;
  readonly provider: Provider;
  readonly access: ProviderAccess;
  readonly info: ModelInfo;
}

/** Finds and opens the models of all providers. Lists are kept until they are asked for anew. */
export interface ModelService {
  readonly answers: EditorAnswers;
  provider(id: ProviderId): Provider;
  /** Each provider's models. `refresh`: asks the providers, instead of what they said last. */
  list(parts: AccessParts, query: ListQuery): Promise<readonly FoundModels[]>;
  /** Fails, with a message for the user, if nobody named an address. Rejects if the editor gives no key. */
  choose(parts: AccessParts, ref: ModelRef, baseUrl?: string): Promise<Outcome<ChosenModel>>;
  open(model: ChosenModel, contextTokens: number): Promise<ChatModel>;
}

export interface ListQuery {
  readonly refresh?: boolean;
  readonly provider?: ProviderId;
  readonly baseUrl?: string;
  /** No other machine is contacted with a key of the environment. */
  readonly unasked?: boolean;
}

export function createModelService(client: AccessParts['client']): ModelService {
  const answers = createEditorAnswers();
  const editor = createEditorProvider(client, answers);
  const provider = (id: ProviderId) => (id === 'vscode' ? editor : PROVIDERS[id]);
  const known = new Map<string, ModelInfo>();
  const lists = new Map<ProviderId, FoundModels>();

  async function listOne(
    parts: AccessParts,
    id: ProviderId,
    query: ListQuery,
  ): Promise<FoundModels> {
    const before = query.refresh || query.baseUrl !== undefined ? undefined : lists.get(id);
    if (before !== undefined) return before;
    const found = await ask(parts, provider(id), query);
    for (const info of found.models) known.set(toKey(found.access, id, info.id), info);
    if (query.baseUrl === undefined && !found.unasked) lists.set(id, found);
    return found;
  }

  /** What the provider lists, and what only a question about the model itself tells. */
  async function describe(access: ProviderAccess, { provider: id, id: model }: ModelRef) {
    const key = toKey(access, id, model);
    const listed = known.get(key);
    const own = provider(id);
    if (listed?.contextTokens !== undefined) return listed;
    const more = await own.describe?.(access, model).catch(() => undefined);
    const info = { ...findKnown(id, model), ...listed, ...more, id: model };
    if (more !== undefined) known.set(key, info);
    return info;
  }

  return {
    answers,
    provider,
    list: (parts, query) => {
      const ids = query.provider === undefined ? PROVIDER_IDS : [query.provider];
      return Promise.all(ids.map((id) => listOne(parts, id, query)));
    },
    async choose(parts, ref, baseUrl) {
      const own = provider(ref.provider);
      const access = await findAccess(parts, own, baseUrl);
      if (access === undefined) return failure(`${own.label} needs gatehouse.model.baseUrl.`);
      return success({ ref, provider: own, access, info: await describe(access, ref) });
    },
    open: (model, contextTokens) =>
      model.provider.open(model.access, model.ref.id, { contextTokens }),
  };
}

function toKey(access: ProviderAccess | undefined, provider: ProviderId, id: string): string {
  return JSON.stringify([provider, access?.baseUrl, id]);
}

async function ask(
  parts: AccessParts,
  provider: Provider,
  { baseUrl, unasked }: ListQuery,
): Promise<FoundModels> {
  const none = { provider, models: [] };
  try {
    const access = await findAccess(parts, provider, baseUrl);
    if (access === undefined) return { ...none, absent: true };
    const found = { ...none, access };
    if (provider.key === 'required' && access.apiKey === undefined) return found;
    if (unasked && provider.kind === 'cloud' && access.keyFrom !== 'stored')
      return { ...found, unasked };
    try {
      return { ...found, models: await provider.listModels(access) };
    } catch (error) {
      const fault = toFault(error, Date.now(), knownSecrets(parts.client));
      const isLocal = provider.kind === 'local' && baseUrl === undefined;
      if (isLocal && fault.kind === 'unreachable') return { ...found, absent: true };
      return { ...found, problem: fault.text };
    }
  } catch (error) {
    // The editor didn't answer the question about the key.
    return { ...none, problem: String(error) };
  }
}
