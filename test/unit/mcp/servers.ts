import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { ToolListing } from '../../../src/base/tools/toolRow.ts';
import { until } from '../../workbench/processes.ts';
import { type Connected, connect, type HostSetUp, temporary } from '../host/harness.ts';

export const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

/** On a busy machine a server may take longer to start than a turn usually waits for it. */
export const WAIT_FOR_SERVERS = { 'gatehouse.limits.serverStartMs': 60_000 };

/** The program of a real server from npm. */
export function findServer(name: string): string {
  const require = createRequire(import.meta.url);
  const file = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return path.join(path.dirname(file), 'dist/index.js');
}

/** A server as a client gives it. */
export function stdio(name: string, file: string, ...args: string[]) {
  return { name, command: process.execPath, args: [file, ...args], env: [] };
}

interface SetUp extends HostSetUp {
  readonly settings?: object;
}

/** A host that sends all tools with each request, and whose user allows every call. */
export async function openHost(t: TestContext, { settings, ...setUp }: SetUp): Promise<Connected> {
  const data = setUp.data ?? (await temporary(t));
  const all = { 'gatehouse.toolSearch.enabled': false, ...WAIT_FOR_SERVERS, ...settings };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(all));
  // The sandbox confines nothing to a workspace that holds the home folder.
  const env = { HOME: await temporary(t), ...setUp.env };
  return connect(t, { client: { permission: () => ALLOW }, ...setUp, data, env });
}

export async function startSession(
  { agent, workspace }: Connected,
  mcpServers: readonly object[] = [],
): Promise<string> {
  const request = { cwd: workspace, mcpServers: [...mcpServers] };
  const { sessionId } = (await agent.request('session/new', request as never)) as {
    readonly sessionId: string;
  };
  await startServers(agent, sessionId);
  return sessionId;
}

/** On a busy machine a server may take longer to start than a turn waits for it. */
async function startServers(agent: Connected['agent'], sessionId: string): Promise<void> {
  await until('the servers', async () => {
    const listing = (await agent.request('_gatehouse/tools', { sessionId })) as ToolListing;
    return !listing.tools.some(({ why = '' }) => why.endsWith('It is starting.'));
  });
}

/** What the Tools view shows of the MCP servers. */
export async function listServers({ agent }: Connected, sessionId: string) {
  const listing = (await agent.request('_gatehouse/tools', { sessionId })) as ToolListing;
  const tools = listing.tools.filter(({ source }) => source === 'mcp');
  return { tools, pending: listing.pending };
}

/** Accepts everything that waits. */
export async function acceptPending(host: Connected, sessionId: string): Promise<number> {
  const { pending } = await listServers(host, sessionId);
  for (const { file, hash } of pending) {
    await host.agent.request('_gatehouse/accept', { path: file, hash, accepted: true });
  }
  return pending.length;
}
