import path from 'node:path';
import type { TestContext } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { success } from '../../../src/base/outcome.ts';
import { parseClientServer } from '../../../src/mcp/config/clientServers.ts';
import { McpConnection } from '../../../src/mcp/connect/connection.ts';
import { createMcpSource, type McpSourceOptions } from '../../../src/mcp/mcpSource.ts';
import type { SourceSession } from '../../../src/tools/toolSource.ts';
import { createManualClock } from '../../tour/manualClock.ts';

export const HOSTILE = path.resolve(import.meta.dirname, 'hostileServer.mjs');

/** The servers of tests run unconfined, with these variables only. */
const transport = {
  prepare: async ({ how }: { readonly how: { readonly type: string } }) => {
    const { argv, cwd, env } = how as never as {
      argv: [string, ...string[]];
      cwd: string;
      env: Record<string, string>;
    };
    return success({
      launch: { argv, cwd, env: { PATH: process.env['PATH'], ...env } },
      descriptors: [],
    });
  },
};

export function hostile(mode: string, { file = '', timeoutMs = 30_000, name = 'srv' } = {}) {
  const given = { name, command: process.execPath, args: [HOSTILE, mode, file], env: [] };
  const parsed = parseClientServer(given, '/');
  if (!parsed.ok) throw new Error(parsed.error);
  return { ...parsed.data, timeoutMs };
}

/** One connection to a server that misbehaves, with a clock that only the test moves. */
export function openConnection(t: TestContext, server: ReturnType<typeof hostile>) {
  const clock = createManualClock();
  const connection = new McpConnection(server, { ...transport, version: '0', clock, roots: [] });
  t.after(() => connection.close());
  return { clock, connection };
}

export function openSource(
  t: TestContext,
  servers: readonly ReturnType<typeof hostile>[],
  more: Partial<McpSourceOptions> = {},
) {
  const clock = createManualClock();
  const accepted = { has: () => false, acceptAll: () => undefined, stamp: () => '' };
  const source = createMcpSource({
    ...{ env: {}, accepted, version: '0', settingsKey: '/absent', clock },
    transport: () => transport,
    ...more,
  });
  t.after(() => source.dispose?.());
  const session: SourceSession = {
    ...{ id: 's', agent: 'gatehouse', folders: [], trusted: true, searchHosts: [] },
    ...{ timeoutMs: 1000, schemaMs: 1000, confirmExternalActions: true },
    mcp: { configured: {}, servers },
  };
  return { clock, source, session };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join();
}
