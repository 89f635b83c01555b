import type { Client } from './client.ts';
import { requestClient } from './requestClient.ts';

const known = new WeakMap<Client, Set<string>>();

/** Remembers, for as long as the connection lives, that this text is a secret. Never written anywhere. */
export function noteSecret(client: Client, value: string): void {
  const secrets = known.get(client) ?? new Set<string>();
  known.set(client, secrets.add(value));
}

/** The secrets the host holds: they may stand in no argument of a call (the watchdog's rule). */
export function knownSecrets(client: Client): readonly string[] {
  return [...(known.get(client) ?? [])];
}

/** One secret out of the editor's storage; undefined when the user stored none. */
export async function fetchSecret(client: Client, id: string): Promise<string | undefined> {
  const { value } = await requestClient(client, 'secret', { id });
  if (value === null || value === '') return undefined;
  noteSecret(client, value);
  return value;
}
