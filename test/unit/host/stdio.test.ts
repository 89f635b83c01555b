import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { checkLines } from '../acp/validate.ts';
import { temporary } from './harness.ts';
import { promptOf, ROOT, sleeper, start, untilGone, untilRunning } from './stdioHost.ts';

test('standard output carries ACP alone, and the host ends after standard input', async (t) => {
  const host = await start(t, { script: [{ text: 'Hello.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const reply = await host.request('session/prompt', promptOf(sessionId));
  assert.deepEqual(reply.result, { stopReason: 'end_turn' });
  host.child.stdin?.end();
  assert.equal(await host.exit, 0);
  assert.deepEqual(checkLines(host.lines, 'agent'), []);
});

test('before initialize nothing but the handshake is answered', async (t) => {
  const host = await start(t);
  const early = await host.request('session/new', { cwd: ROOT, mcpServers: [] });
  assert.equal(early.error?.code, -32600);
});

test('requests that come before the settings are answered are answered after them, and by them', async (t) => {
  const first = await start(t);
  await first.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await first.newSession();
  first.child.stdin?.end();
  await first.exit;
  // The environment would count before the settings.
  const env = { GATEHOUSE_MODEL_BASE_URL: undefined, GATEHOUSE_MODEL_ID: undefined };
  const next = await start(t, { data: first.data, env });
  const workspace = { roots: [first.data], adHoc: [], trusted: true };
  const settings = { 'model.baseUrl': 'http://127.0.0.1:9/v1', 'model.id': 'of-the-settings' };
  const sent = [
    next.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { _meta: { gatehouse: { configure: true } } },
    }),
    next.request('_gatehouse/configure', {
      ...{ settings, rules: [], files: [], workspace, editor: {} },
    }),
    next.request('session/load', { sessionId, cwd: first.data, mcpServers: [] }),
  ];
  const [, configured, loaded] = await Promise.all(sent);
  assert.deepEqual(configured?.result, { problems: [] });
  assert.match(JSON.stringify(loaded?.result), /of-the-settings/);
  const answers = next.lines.flatMap(({ from, message }) =>
    from === 'agent' && message.method === undefined ? [message.id] : [],
  );
  assert.deepEqual(answers, [1, 2, 3]);
});

test('standard input closed in the middle of a turn ends the command with the host', async (t) => {
  const host = await start(t, { script: [{ calls: [sleeper('closed')] }] });
  await untilRunning(host, 'closed');
  host.child.stdin?.end();
  await host.exit;
  await untilGone('closed');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the host and what it started`, async (t) => {
    const host = await start(t, { script: [{ calls: [sleeper(signal)] }] });
    await untilRunning(host, signal);
    host.child.kill(signal);
    await host.exit;
    await untilGone(signal);
  });
}

test('VC-88: killed in the middle of a call, the next host says so, ends what is left, and goes on', async (t) => {
  const first = await start(t, { script: [{ text: 'Before. ', calls: [sleeper('killed')] }] });
  const sessionId = await untilRunning(first, 'killed');
  first.child.kill('SIGKILL');
  await first.exit;
  const next = await start(t, { data: first.data, script: [{ text: 'Going on.' }] });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const loaded = await next.request('session/load', { sessionId, cwd: first.data, mcpServers: [] });
  assert.equal(loaded.error, undefined);
  const history = JSON.stringify(next.lines);
  assert.match(history, /Before\. /);
  assert.match(history, /aborted by host restart/);
  const reply = await next.request('session/prompt', promptOf(sessionId));
  assert.deepEqual(reply.result, { stopReason: 'end_turn' });
  await untilGone('killed');
  assert.equal(next.model.requests.length, 1, 'the call was not run again');
});

test('a flag counts before the environment, and an unknown one is misuse', async (t) => {
  const host = await start(t, { args: ['--model-id', 'from-the-flag'] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  await host.request('session/prompt', promptOf(sessionId));
  assert.equal(host.model.requests[0]?.body['model'], 'from-the-flag');
  const misused = await start(t, { args: ['--colour', 'red'] });
  assert.equal(await misused.exit, 2);
});

test('the built host does the same as the sources', async (t) => {
  const built = path.join(ROOT, 'dist/host/main.mjs');
  assert.ok(existsSync(built), 'build it first: node esbuild.mjs');
  // A copy without node_modules beside it: the bundle must need nothing.
  const folder = await temporary(t);
  await cp(path.dirname(built), path.join(folder, 'host'), { recursive: true });
  const host = await start(t, {
    program: path.join(folder, 'host/main.mjs'),
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch x; echo built' }, id: 'b' }] },
      { text: 'Done.' },
    ],
  });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const turn = host.request('session/prompt', promptOf(sessionId));
  const ask = await host.asked('session/request_permission');
  host.send({ id: ask.id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  assert.deepEqual((await turn).result, { stopReason: 'end_turn' });
  assert.match(JSON.stringify(host.lines), /built\\n/);
  assert.deepEqual(checkLines(host.lines, 'agent'), []);
});
