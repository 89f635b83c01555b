import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { McpServer, StdioServer } from '../../../../src/base/tools/mcpServer.ts';
import {
  createServerStart,
  type ServerStartParts,
} from '../../../../src/host/services/serverStart.ts';
import { refuseStart } from '../../../../src/runtime/sandbox/refuse.ts';

const HOW: StdioServer = {
  ...{ type: 'stdio', argv: ['server'], env: {}, cwd: '/ws', hosts: [], sandbox: true },
};

/** The names under which the folders of servers are kept, in which they find their HOME and /tmp again. */
async function listKeys(servers: readonly (Partial<McpServer> & { rules?: string })[]) {
  const keys: string[] = [];
  const keep = (key: string) => {
    keys.push(key);
    return refuseStart('Nothing is started.');
  };
  const copies: Partial<Awaited<ReturnType<ServerStartParts['copies']>>> = {
    state: { proven: true },
    live: keep,
  };
  const prepare = createServerStart({
    env: { HOME: '/home/user' },
    settings: () => ({ sandboxMode: 'auto', passedVariables: [] }),
    copies: async () => copies as Awaited<ReturnType<ServerStartParts['copies']>>,
    confinement: { start: keep },
  });
  for (const { rules = 'r', ...server } of servers) {
    const own = {
      name: 's',
      origin: 'settings',
      file: 'f',
      shown: '',
      hash: 'h',
      how: HOW,
    } as const;
    const hidden = { id: rules, find: async () => ({ ok: true, data: [] }) as const };
    const prepared = await prepare({ ...own, timeoutMs: 1000, ...server }, ['/ws'], hidden);
    assert.match(prepared.ok ? '' : prepared.error, /^Nothing is started\./);
  }
  return keys;
}

test('a server finds its own HOME again, and none of another entry or of other rules', async () => {
  const same = await listKeys([{}, {}]);
  assert.equal(new Set(same).size, 1);
  const others = await listKeys([
    {},
    { name: 't' },
    { origin: 'session' },
    { file: 'g' },
    { how: { ...HOW, argv: ['other'] } },
    { how: { ...HOW, cwd: '/ws/sub' } },
    { rules: 'stricter' },
  ]);
  assert.equal(new Set(others).size, 7, others.join('\n'));
});
