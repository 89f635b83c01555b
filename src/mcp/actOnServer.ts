import { failure, type Outcome, success } from '../base/outcome.ts';
import type { McpServer, ServerAction } from '../base/tools/mcpServer.ts';
import type { SourceSession } from '../tools/toolSource.ts';
import { isAccepted, type McpAcceptances } from './acceptedTools.ts';
import { type ReadOptions, readServers } from './config/readServers.ts';
import type { Connections } from './connect/connections.ts';
import type { SignIns } from './oauth/signIns.ts';
import type { ServerInputs } from './serverInputs.ts';
import { nameServers } from './tools/ids.ts';

export interface ServerActionParts extends Pick<ReadOptions, 'env' | 'settingsKey'> {
  /** The server's name in rules. */
  readonly name: string;
  readonly accepted: Pick<McpAcceptances, 'has'>;
  readonly inputs: ServerInputs;
  readonly connections: Connections;
  readonly signIns?: SignIns | undefined;
}

/** Does what the user wants with a server, and lets it start anew. */
export async function actOnServer(
  session: SourceSession,
  action: ServerAction,
  parts: ServerActionParts,
): Promise<Outcome<void>> {
  const { name, inputs, connections, accepted } = parts;
  const { servers } = readServers(session, { ...parts, inputs: inputs.get });
  const server = servers[nameServers(servers.map((each) => each.name)).indexOf(name)];
  if (server === undefined) return failure(`There is no MCP server "${name}".`);
  if (!isAccepted(server, accepted)) {
    return failure(`You have not accepted the MCP server "${name}". Review it first.`);
  }
  const done = await run(action, server, parts);
  if (done.ok) connections.end(session, server);
  return done;
}

async function run(
  action: ServerAction,
  server: McpServer,
  { inputs, signIns }: ServerActionParts,
): Promise<Outcome<void>> {
  if (action === 'restart') {
    inputs.drop(server);
    return success(undefined);
  }
  if (signIns === undefined) {
    return failure(
      'This client cannot sign in to servers. Give the entry an Authorization header.',
    );
  }
  return action === 'signIn' ? signIns.signIn(server) : signIns.signOut(server);
}
