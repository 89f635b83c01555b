import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { connect, newSession, temporary } from '../unit/host/harness.ts';
import { acceptPending, listServers } from '../unit/mcp/servers.ts';
import { until } from '../workbench/processes.ts';
import type { Scene } from './scene.ts';

/** An entry of `.mcp.json` for a real server from npm. */
function toEntry(name: string, ...args: string[]) {
  const require = createRequire(import.meta.url);
  const file = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  const program = path.join(path.dirname(file), 'dist/index.js');
  return { command: process.execPath, args: [program, ...args] };
}

/**
 * Adds three real servers to the workspace of a window. They and their tools are accepted by another host
 * of the user, as in another window. Returns the number of their tools.
 */
export async function addServers(t: TestContext, { sample, server }: Scene): Promise<number> {
  const mcpServers = {
    everything: toEntry('everything'),
    files: toEntry('filesystem', sample.folder),
    memory: toEntry('memory'),
  };
  writeFileSync(path.join(sample.folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  const home = await temporary(t);
  const host = await connect(t, {
    data: path.join(server.home, 'data/User/globalStorage/gatehouse.gatehouse'),
    workspace: sample.folder,
    env: { HOME: home, GATEHOUSE_CONFIG: path.join(home, 'settings.json') },
  });
  const sessionId = await newSession(host);
  let accepted = 0;
  const count = await until('all servers and their tools', async () => {
    accepted += await acceptPending(host, sessionId);
    const { tools } = await listServers(host, sessionId);
    const isReady = tools.length > 0 && tools.every(({ state }) => state === 'offered');
    return accepted === 6 && isReady ? tools.length : undefined;
  });
  await host.agent.request('session/delete', { sessionId });
  await host.stop();
  assert.ok(count > 30, `${count} tools`);
  return count;
}
