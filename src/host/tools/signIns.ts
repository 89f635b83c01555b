import { createSignIns, type SignIns } from '../../mcp/oauth/signIns.ts';
import type { Client } from '../client/client.ts';
import { requestClient } from '../client/requestClient.ts';
import { noteSecret } from '../client/secrets.ts';

/** Signs in through the client's browser; undefined if the client can't. */
export function createClientSignIns(client: Client): SignIns | undefined {
  if (!client.facts.signIn) return undefined;
  return createSignIns({
    secrets: {
      get: async (id) => (await requestClient(client, 'secret', { id })).value ?? undefined,
      async set(id, value) {
        await requestClient(client, 'storeSecret', { id, value: value ?? null });
      },
      note: (value) => noteSecret(client, value),
    },
    browser: {
      externalUri: async (url) => (await requestClient(client, 'externalUri', { url })).url,
      open: async (server, url) =>
        (await requestClient(client, 'openBrowser', { server, url })).opened,
    },
  });
}
