import type { OAuthClientProvider, Transport } from '@modelcontextprotocol/client';
import type { Outcome } from '../../base/outcome.ts';
import type { HttpServer, McpServer } from '../../base/tools/mcpServer.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import { createGuardedFetch, type FetchHooks } from './guardedFetch.ts';
import { createProcessTransport, type PreparedStart } from './processTransport.ts';

/** What connections use of the host. */
export interface TransportParts {
  /** How a local server is started: with its environment, and confined where there is a sandbox, which hides files. */
  prepare(server: McpServer, hidden?: HiddenFiles): Promise<Outcome<PreparedStart>>;
  /** What earlier sign-ins left for the server. Absent: the client can't sign in. */
  signIn?(server: McpServer): OAuthClientProvider | undefined;
  readonly fetch?: FetchHooks;
}

export interface OpenedTransport {
  readonly transport: Transport;
  /** Why it ended, as far as that is known. */
  describeEnd(): string;
  /** Whether it sees nothing that is hidden now. */
  covers(hidden: HiddenFiles): Promise<boolean>;
}

export async function openTransport(
  server: McpServer,
  parts: TransportParts,
  hidden?: HiddenFiles,
): Promise<OpenedTransport> {
  const { how } = server;
  if (how.type !== 'stdio') {
    const transport = await openHttp(server, how, parts);
    return { transport, describeEnd: () => '', covers: async () => true };
  }
  const { deserializeMessage } = await import('./sdk.ts');
  const transport = createProcessTransport({
    prepare: () => parts.prepare(server, hidden),
    parse: (line) => deserializeMessage(line),
  });
  return {
    transport,
    describeEnd: () => transport.describeEnd(),
    covers: (now) => transport.covers(now),
  };
}

async function openHttp(
  server: McpServer,
  { type, url, headers }: HttpServer,
  { signIn, fetch: hooks }: TransportParts,
): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('./sdk.ts');
  const authProvider = signIn?.(server);
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: createGuardedFetch(url, hooks),
    ...(authProvider && { authProvider }),
  };
  const target = new URL(url);
  // The connection decides itself when to try again (spec CS-57).
  const reconnectionOptions = {
    maxRetries: 0,
    initialReconnectionDelay: 1000,
    maxReconnectionDelay: 60_000,
    reconnectionDelayGrowFactor: 2,
  };
  return type === 'sse'
    ? new SSEClientTransport(target, options)
    : new StreamableHTTPClientTransport(target, { ...options, reconnectionOptions });
}
