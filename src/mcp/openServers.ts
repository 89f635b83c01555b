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

/** The servers that may run, by their names in rules. Starts them unless only those that run are wanted. */
export async function openServers(
  session: SourceSession,
  onlyRunning: boolean,
  { accepted, connections, inputs, ...options }: OpenServersParts,
): Promise<readonly NamedConnection[]> {
  const { servers } = readServers(session, { ...options, inputs: inputs.get });
  const names = nameServers(servers.map(({ name }) => name));
  const ready = servers.filter(
    (server) => isAccepted(server, accepted) && server.missing === undefined,
  );
  const open = onlyRunning
    ? ready.map((server) => connections.find(session, server))
    : connections.open(session, ready);
  if (!onlyRunning)
    await connections.settle(
      open.filter((each) => each !== undefined),
      session.mcp?.startMs ?? START_MS,
    );
  return open.flatMap((connection, at) => {
    const server = ready[at];
    if (connection === undefined || server === undefined) return [];
    return [{ connection, server, name: names[servers.indexOf(server)] ?? '' }];
  });
}
