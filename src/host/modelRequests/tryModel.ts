import type { TriedModel, TryModel } from '../../acp/gatehouse/configure.ts';
import { type ModelFailure, toFault } from '../../agent/endpoint/faults.ts';
import { watchStream } from '../../agent/endpoint/stall.ts';
import type { ChatModel } from '../../agent/model.ts';
import { parseModelRef } from '../../agent/models/provider.ts';
import { systemClock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import { knownSecrets } from '../client/secrets.ts';
import type { HostServices } from '../services/hostServices.ts';
import { toAccessParts } from './toAccessParts.ts';

/** A local model is loaded first. */
const PATIENCE = { firstMs: 120_000, chunkMs: 30_000 };

/**
 * Sends one real request to a model, as a turn would: the list of models is no proof that one answers.
 * Its answer is not read to the end.
 */
export async function tryModel(
  services: HostServices,
  { ref, baseUrl }: TryModel,
): Promise<TriedModel> {
  try {
    const models = await services.models();
    const parts = toAccessParts(services);
    const wanted = parseModelRef(ref, parts.settings.provider);
    const chosen = await models.choose(parts, wanted, baseUrl);
    if (!chosen.ok) return { answered: false, kind: 'no-model', problem: chosen.error };
    const { contextTokens = 0 } = chosen.data.info;
    const fault = await ask(services, await models.open(chosen.data, contextTokens));
    if (fault === undefined) return { answered: true };
    return { answered: false, kind: fault.kind, problem: fault.text };
  } catch (error) {
    return { answered: false, kind: 'other', problem: getMessage(error) };
  }
}

async function ask(
  { client }: HostServices,
  model: ChatModel,
): Promise<Pick<ModelFailure, 'kind' | 'text'> | undefined> {
  const enough = new AbortController();
  try {
    const prompt = [
      { role: 'system' as const, content: 'Answer with one word.' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Say "ready".' }] },
    ];
    const opening = Promise.resolve(model.doStream({ prompt, abortSignal: enough.signal }));
    const parts = opening.then(({ stream }) => stream);
    const isContent = ({ type }: { readonly type: string }) => type !== 'stream-start';
    const signal = new AbortController().signal;
    for await (const part of watchStream(parts, isContent, PATIENCE, systemClock, signal)) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') return undefined;
    }
    return { kind: 'other', text: 'The model sent an empty answer.' };
  } catch (error) {
    return toFault(error, Date.now(), knownSecrets(client));
  } finally {
    enough.abort();
  }
}
