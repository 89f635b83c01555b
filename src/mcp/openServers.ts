import type { SourceSession } from '../tools/toolSource.ts';
import { isAccepted, type McpAcceptances } from './acceptedTools.ts';
import { type ReadOptions, readServers } from './config/readServers.ts';
import { type Connections, START_MS } from './connect/connections.ts';
import type { NamedConnection } from './listContent.ts';
import type { ServerInputs } from './serverInputs.ts';
import { nameServers } from './tools/ids.ts';

interface OpenServersParts extends Omit<ReadOptions, 'inputs'> {
  readonly accepted: McpAcceptances;
  readonly connections: Connections;
  readonly inputs: ServerInputs;
}

/** The servers that may run, by their names in rules. */
export async function openServers(
  session: SourceSession,
  { accepted, connections, inputs, ...options }: OpenServersParts,
): Promise<readonly NamedConnection[]> {
  const { servers } = readServers(session, { ...options, inputs: inputs.get });
  const names = nameServers(servers.map(({ name }) => name));
  const ready = servers.filter(
    (server) => isAccepted(server, accepted) && server.missing === undefined,
  );
  const open = connections.open(session, ready);
  await connections.settle(open, START_MS);
  return open.flatMap((connection, at) => {
    const server = ready[at];
    return server ? [{ connection, server, name: names[servers.indexOf(server)] ?? '' }] : [];
  });
}
