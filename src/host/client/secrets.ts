import type { AskInput } from '../../base/tools/mcpServer.ts';
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

/** Asks the user for values that MCP servers need; undefined if the client can't. */
export function createAskInput(client: Client): AskInput | undefined {
  if (!client.facts.serverInput) return undefined;
  return async (asked) => {
    const { value } = await requestClient(client, 'serverInput', asked);
    if (value !== null && value !== '' && asked.input.password) noteSecret(client, value);
    return value ?? undefined;
  };
}
