import type { Client } from './client.ts';
import { requestClient } from './requestClient.ts';

const known = new WeakMap<Client, Set<string>>();

/** Remembers a secret for the lifetime of the connection. It is never written anywhere. */
export function noteSecret(client: Client, value: string): void {
  const secrets = known.get(client) ?? new Set<string>();
  known.set(client, secrets.add(value));
}

/** The secrets that the host holds. The watchdog rejects calls whose arguments contain one. */
export function knownSecrets(client: Client): readonly string[] {
  return [...(known.get(client) ?? [])];
}

/** Reads a secret from the editor's storage; undefined when there is none. */
export async function fetchSecret(client: Client, id: string): Promise<string | undefined> {
  const { value } = await requestClient(client, 'secret', { id });
  if (value === null || value === '') return undefined;
  noteSecret(client, value);
  return value;
}
