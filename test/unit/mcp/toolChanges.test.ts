import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import { Emitter } from '../../../src/base/event.ts';
import { tellToolChanges } from '../../../src/host/tools/tellToolChanges.ts';
import { FakeClock } from '../extension/fakeClock.ts';
import { until } from '../host/harness.ts';
import {
  ALLOW,
  acceptPending,
  findServer,
  listServers,
  openHost,
  startSession,
} from './servers.ts';

async function start(t: TestContext, toolChanges: boolean) {
  const capabilities = toExtensions({ toolChanges });
  const host = await openHost(t, { client: { permission: () => ALLOW, capabilities } });
  const entry = { command: process.execPath, args: [findServer('memory')] };
  const file = path.join(host.workspace, '.mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { memory: entry } }));
  const sessionId = await startSession(host);
  assert.equal(await acceptPending(host, sessionId), 1);
  const told = () =>
    host.lines.filter(({ message }) => message.method === '_gatehouse/tools_changed').length;
  return { host, sessionId, told };
}

test('the client is told when an accepted server has started, whose tools wait for a review', async (t) => {
  const { host, sessionId, told } = await start(t, true);
  await listServers(host, sessionId);
  await until(() => told() > 0, 'the client is told');
  const { pending } = await listServers(host, sessionId);
  assert.ok((pending[0]?.tools.length ?? 0) > 1);
});

test('a client that does not show the tools is told nothing', async (t) => {
  const { host, sessionId, told } = await start(t, false);
  await listServers(host, sessionId);
  assert.equal(told(), 0);
});

test('a server that changes its list all the time is told now and then', () => {
  const changed = new Emitter<void>();
  const clock = new FakeClock();
  const sent: string[] = [];
  const peer = { notify: async (method: string) => void sent.push(method) };
  const client = { facts: { toolChanges: true }, peer };
  tellToolChanges(client as never, { onDidChange: changed.event }, clock);
  for (let at = 0; at < 1000; at += 1) {
    changed.fire();
    clock.tick(1);
  }
  clock.tick(200);
  assert.equal(sent.length, 5);
});
