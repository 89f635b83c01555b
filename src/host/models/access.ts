import { type ModelAccess, type Provider, toBaseUrl } from '../../agent/models/provider.ts';
import type { Client } from '../client/client.ts';
import { fetchSecret, noteSecret } from '../client/secrets.ts';
import type { ModelSettings } from '../config/settings.ts';

/** Where a provider is reached and with which key. Held only as long as it is used, and never logged. */
export interface ProviderAccess extends ModelAccess {
  /** Where the key comes from: `stored` in the editor, or the name of a variable. */
  readonly keyFrom?: string;
}

export interface AccessParts {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Pick<ModelSettings, 'provider' | 'baseUrl' | 'fromEnvironment'>;
}

/**
 * The address of a provider and its key; undefined if nobody named the address. `baseUrl` replaces the
 * address for this use. Rejects if the editor doesn't answer.
 */
export async function findAccess(
  parts: AccessParts,
  provider: Provider,
  baseUrl?: string,
): Promise<ProviderAccess | undefined> {
  const own = provider.id === parts.settings.provider ? parts.settings.baseUrl : undefined;
  const address = baseUrl ?? own ?? provider.baseUrl;
  if (address === undefined) return undefined;
  const key = await findKey(parts, provider, address);
  return { baseUrl: toBaseUrl(address), ...key };
}

type Key = Pick<ProviderAccess, 'apiKey' | 'keyFrom'>;

const OWN_VARIABLE = 'GATEHOUSE_MODEL_API_KEY';

/**
 * A key of the environment is sent only where the environment says: to the endpoint that it names, or to the
 * provider whose variable it is, at the provider's own address; so that a setting cannot redirect it.
 */
async function findKey(parts: AccessParts, provider: Provider, address: string): Promise<Key> {
  const { client, env, settings } = parts;
  const configured = provider.id === settings.provider;
  const generic = toKey(client, env, OWN_VARIABLE);
  if (settings.fromEnvironment && configured && generic !== undefined) return generic;
  if (provider.key === 'none') return {};
  if (client.facts.secret) {
    const apiKey = await fetchSecret(client, provider.keyId);
    if (apiKey !== undefined) return { apiKey, keyFrom: 'stored' };
  } else if (configured && generic !== undefined) return generic;
  const own = toBaseUrl(address) === provider.baseUrl;
  return (own && provider.keyVariable && toKey(client, env, provider.keyVariable)) || {};
}

function toKey(client: Client, env: NodeJS.ProcessEnv, name: string): Key | undefined {
  const apiKey = env[name] || undefined;
  if (apiKey === undefined) return undefined;
  noteSecret(client, apiKey);
  return { apiKey, keyFrom: name };
}
