import type { ListedProvider } from '../../acp/gatehouse/configure.ts';
import { askKey } from './modelQuestions.ts';
import type { ModelSetupParts } from './modelSetup.ts';

/** What was stored while a provider is set up. */
export interface TakenKey {
  /** Stores the key from before again: one that was not used must not replace one that works. */
  undo(): Promise<void>;
}

const NOTHING: TakenKey = { undo: async () => undefined };

/**
 * Asks for the key of a provider, if it takes one, and stores it. Undefined: the user left. An endpoint at
 * another address than before doesn't get the key of that one.
 */
export async function takeKey(
  parts: ModelSetupParts,
  provider: ListedProvider,
  baseUrl: string,
): Promise<TakenKey | undefined> {
  const { secrets } = parts;
  const { keyId, kind, label } = provider;
  if (keyId === undefined) return NOTHING;
  const before = await secrets.get(keyId);
  const isForeign =
    kind === 'endpoint' && before !== undefined && !isKnown(parts, provider, baseUrl);
  const key = await askKey(parts, label, isForeign);
  if (key === undefined) return undefined;
  if (key === '' && !isForeign) return NOTHING;
  const store = (value: string | undefined) =>
    value === undefined || value === '' ? secrets.clear(keyId) : secrets.set(keyId, value);
  await store(key);
  return { undo: async () => store(before) };
}

/** Whether the stored key may be meant for this address: the one that is set, or none was set before. */
function isKnown({ read }: ModelSetupParts, { id }: ListedProvider, baseUrl: string): boolean {
  if (read('model.provider') !== id) return false;
  const set = read('model.baseUrl');
  return set === '' || URL.parse(set)?.origin === URL.parse(baseUrl)?.origin;
}
