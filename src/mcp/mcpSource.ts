import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { type Clock, systemClock } from '../base/clock.ts';
import { Emitter } from '../base/event.ts';
import type { AskInput, BadServer, McpServer } from '../base/tools/mcpServer.ts';
import { HOST_TOOL_IDS } from '../base/tools/toolFacts.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type {
  NotOffered,
  OfferedTool,
  SourceSession,
  ToolOffer,
  ToolSource,
} from '../tools/toolSource.ts';
import {
  type AcceptedTools,
  createAcceptedTools,
  isAccepted,
  type McpAcceptances,
} from './acceptedTools.ts';
import { actOnServer } from './actOnServer.ts';
import { hashText } from './config/parseServer.ts';
import { type FoundServers, readServerStamps, readServers } from './config/readServers.ts';
import type { McpConnection } from './connect/connection.ts';
import { type Connections, createConnections, START_MS } from './connect/connections.ts';
import type { TransportParts } from './connect/openTransport.ts';
import { inTime } from './inTime.ts';
import type { SignIns } from './oauth/signIns.ts';
import { openServers } from './openServers.ts';
import { toContentReader } from './serverContent.ts';
import { createServerInputs, type ServerInputs } from './serverInputs.ts';
import { findSignedIn, markSignIn } from './signInMarks.ts';
import { nameServers, toToolIds } from './tools/ids.ts';
import { createMcpTool, findToolFault } from './tools/mcpTool.ts';
import { toReach, toReviewed } from './tools/reviewedTools.ts';

export interface McpSourceOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly accepted: McpAcceptances;
  readonly version: string;
  /** The file that acceptances of servers from the settings are kept for. Absolute. */
  readonly settingsKey: string;
  readonly clock?: Clock;
  /** How servers are started and reached, for a session. */
  transport(session: SourceSession): TransportParts;
  /** Asks the user for the inputs of entries. Absent: the client can't. */
  readonly askInput?: AskInput | undefined;
  /** The sign-ins at servers. Absent: the client can't. */
  readonly signIns?: SignIns | undefined;
}

/** The tools of MCP servers: from the settings, from files of the workspace, and from the client of the session. */
export function createMcpSource(options: McpSourceOptions): ToolSource {
  const { accepted, signIns } = options;
  const changed = new Emitter<void>();
  const connections = createConnections({ ...options, onChange: () => changed.fire() });
  const acceptedTools = createAcceptedTools(accepted);
  const inputs = createServerInputs(options.askInput, () => changed.fire());
  const asking = createAsking();
  const shared = { ...options, connections, acceptedTools, inputs };
  return {
    id: 'mcp',
    onDidChange: changed.event,
    async act(session, name, action) {
      const done = await actOnServer(session, action, { ...options, name, inputs, connections });
      if (done.ok) changed.fire();
      return done;
    },
    async tools(session) {
      const stamp = readServerStamps(session);
      const acceptances = accepted.stamp();
      const isHere = asking.begin(session.id);
      const { servers, bad } = await readReady(session, options, inputs);
      // Nobody would end what is started for a session that was closed meanwhile.
      if (!isHere()) return NOTHING;
      const offers = await offerServers(session, servers, shared);
      const isCurrent = async () =>
        accepted.stamp() === acceptances && readServerStamps(session) === stamp;
      return {
        tools: offers.flatMap(({ tools }) => tools),
        notOffered: [...bad.map(toBad), ...offers.flatMap(({ notOffered }) => notOffered)],
        pending: offers.flatMap(({ pending }) => pending),
        isCurrent,
      };
    },
    getServerName: (session, server) =>
      findServer(server, readServers(session, { ...options, inputs: inputs.get }))?.name,
    ...toContentReader((session, onlyRunning = false) =>
      openServers(session, onlyRunning, { ...options, ...shared }),
    ),
    drop(sessionId) {
      asking.drop(sessionId);
      connections.drop(sessionId);
    },
    async dispose() {
      asking.end();
      signIns?.dispose();
      await connections.dispose();
    },
  };
}

/** The server with this name in rules. */
function findServer(name: string, { servers }: FoundServers): McpServer | undefined {
  return servers[nameServers(servers.map((each) => each.name)).indexOf(name)];
}

interface Shared extends Pick<McpSourceOptions, 'accepted' | 'signIns' | 'clock'> {
  readonly connections: Connections;
  readonly acceptedTools: AcceptedTools;
  readonly inputs: ServerInputs;
}

/** What each server offers, in their order. Those that may be started are. */
async function offerServers(
  session: SourceSession,
  servers: readonly McpServer[],
  { accepted, signIns, clock, connections, acceptedTools, inputs }: Shared,
): Promise<readonly ToolOffer[]> {
  const names = nameServers(servers.map(({ name }) => name));
  const allowed = servers.filter((server) => isAccepted(server, accepted));
  const ready = allowed.filter(({ missing }) => missing === undefined);
  const open = connections.open(session, ready);
  await connections.settle(open, session.mcp?.startMs ?? START_MS);
  const signedIn = signIns && (await findSignedIn(open, signIns, clock));
  const used = new Set(HOST_TOOL_IDS);
  return servers.map((server, at) => {
    const name = names[at] ?? server.name;
    const connection = open[ready.indexOf(server)];
    const isAllowed = allowed.includes(server) && isAccepted(server, accepted);
    if (!isAllowed) return toWaiting(server, name);
    if (connection === undefined) return toHeld(name, inputs.describe(server));
    const { schemaMs, hidden } = session;
    const parts = { connection, server, name, used, acceptedTools, schemaMs, hidden };
    return markSignIn(toOffer(parts), connection, signedIn);
  });
}

const NOTHING: ToolOffer = { tools: [], notOffered: [], pending: [] };

/** Tells whether a session that asked for its tools is still open. */
function createAsking() {
  const open = new Map<string, symbol>();
  let isOver = false;
  return {
    begin(sessionId: string): () => boolean {
      const own = open.get(sessionId) ?? Symbol();
      open.set(sessionId, own);
      return () => !isOver && open.get(sessionId) === own;
    },
    drop: (sessionId: string) => void open.delete(sessionId),
    end: () => {
      isOver = true;
    },
  };
}

/** The servers, with the values that the user has given or gives soon. */
async function readReady(
  session: SourceSession,
  options: McpSourceOptions,
  inputs: ServerInputs,
): Promise<FoundServers> {
  const read = () => readServers(session, { ...options, inputs: inputs.get });
  const found = read();
  const incomplete = found.servers.filter(
    (server) => server.missing !== undefined && isAccepted(server, options.accepted),
  );
  if (incomplete.length === 0) return found;
  await inTime(options.clock ?? systemClock, inputs.request(incomplete));
  return read();
}

function toBad({ name, file, why }: BadServer): NotOffered {
  return { id: name, file, why: `The MCP server "${name}" can't be used. ${why}` };
}

function toHeld(name: string, why: string): ToolOffer {
  return { tools: [], pending: [], notOffered: [{ id: name, server: name, why }] };
}

function toWaiting(server: McpServer, label: string): ToolOffer {
  const { name, file, shown, hash } = server;
  const why = `You have not accepted the MCP server "${name}" in its current version.`;
  const tools = [{ id: label, runs: shown, ...toReach(server), description: '' }];
  return {
    tools: [],
    notOffered: [{ id: label, server: label, why }],
    pending: [{ file, hash, server: name, tools }],
  };
}

interface OfferParts {
  readonly connection: McpConnection;
  /** As this session has it. */
  readonly server: McpServer;
  /** The server's name in rules. */
  readonly name: string;
  /** The ids that are taken. */
  readonly used: Set<string>;
  readonly acceptedTools: AcceptedTools;
  readonly schemaMs: number;
  readonly hidden: SourceSession['hidden'];
}

function toOffer(parts: OfferParts): ToolOffer {
  const { connection, server, name } = parts;
  const { state } = connection;
  if (state.type !== 'ready') {
    const reason = state.type === 'down' ? ` ${state.why}` : ' It is starting.';
    const why = `mcp server ${server.name} is unavailable.${reason}`;
    const known = connection.lastIds.map((id): NotOffered => ({ id, server: name, why }));
    return {
      tools: [],
      pending: [],
      notOffered: known.length > 0 ? known : [{ id: name, server: name, why }],
    };
  }
  const { tools, rows } = offerTools(parts, state.tools);
  const waiting = rows.filter(({ isWaiting }) => isWaiting);
  connection.lastIds = tools.map(({ tool }) => tool.id);
  return {
    tools,
    notOffered: rows.map(({ id, why }) => ({ id, server: name, why })),
    pending: waiting.length === 0 ? [] : [toPendingTools(parts, waiting)],
  };
}

interface HeldRow {
  readonly id: string;
  readonly why: string;
  readonly isWaiting?: true;
  readonly tool: ServerTool;
}

function offerTools(
  { connection, server, name, used, acceptedTools, schemaMs, hidden }: OfferParts,
  all: readonly ServerTool[],
) {
  const tools: OfferedTool[] = [];
  const rows: HeldRow[] = [];
  const seen = new Set<string>();
  const found = all.map((tool) => {
    const fault = seen.has(tool.name) ? 'The server lists it twice.' : findToolFault(tool);
    seen.add(tool.name);
    return { tool, fault };
  });
  const named = found.flatMap(({ tool, fault }) => (fault === undefined ? [tool.name] : []));
  const ids = toToolIds(name, named, used);
  for (const { tool, fault } of found) {
    if (fault !== undefined) {
      rows.push({ id: tool.name.slice(0, 64), why: fault, tool });
      continue;
    }
    const id = ids.get(tool.name) ?? '';
    const state = acceptedTools.find(server, tool);
    if (state === 'accepted') {
      tools.push({
        tool: createMcpTool(tool, { id, server: name, connection, schemaMs, hidden }),
        server: name,
      });
    } else rows.push({ id, why: WHY[state], isWaiting: true, tool });
  }
  return { tools, rows };
}

const WHY = {
  new: 'You have not accepted this tool of the MCP server.',
  changed: 'Its description or schema changed since you accepted it. Accept it again.',
} as const;

/** The tools that the user has not accepted as they are now. One hash covers all of them. */
function toPendingTools(
  { server, acceptedTools }: OfferParts,
  waiting: readonly HeldRow[],
): PendingManifest {
  const hashes = waiting.map(({ tool }) => acceptedTools.hash(server, tool));
  const hash = hashText(JSON.stringify(hashes));
  acceptedTools.expect(
    server,
    hash,
    waiting.map(({ tool }) => tool),
  );
  return {
    ...{ file: server.file, hash, server: server.name },
    tools: toReviewed(server.name, server, waiting),
  };
}
