import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { calls, prompt, requests, temporary } from '../host/harness.ts';
import { findPort, whenListening } from './ports.ts';
import {
  acceptPending,
  findServer,
  listServers,
  openHost,
  startSession,
  stdio,
} from './servers.ts';
import { HOSTILE } from './source.ts';

test('session/new starts a stdio server, whose tools are called through the gate', async (t) => {
  const host = await openHost(t, {
    script: [{ calls: [{ tool: 'everything_get_sum', input: { a: 2, b: 3 } }] }, { text: 'Done.' }],
  });
  const sessionId = await startSession(host, [stdio('everything', findServer('everything'))]);
  const { tools } = await listServers(host, sessionId);
  assert.equal(tools.filter(({ state }) => state === 'offered').length, 16);
  assert.deepEqual(
    [...new Set(tools.map(({ kind, server }) => `${server} ${kind}`))],
    ['everything other'],
  );
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /The sum of 2 and 3 is 5/);
  const [asked] = requests(host, 'session/request_permission');
  assert.match(JSON.stringify(asked?.params), /"mcp:everything:get-sum"/);
});

test('a server of .mcp.json is started only once it is accepted, and offers only accepted tools', async (t) => {
  const host = await openHost(t, {
    script: [{ calls: [{ tool: 'memory_read_graph', input: {} }] }, { text: 'Done.' }],
  });
  const entry = { command: process.execPath, args: [findServer('memory')] };
  const file = path.join(host.workspace, '.mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { memory: entry } }));
  const sessionId = await startSession(host);
  const before = await listServers(host, sessionId);
  assert.equal(before.pending[0]?.server, 'memory');
  assert.match(before.pending[0]?.tools[0]?.runs ?? '', /server-memory/);
  assert.equal(
    before.tools.every(({ state }) => state === 'not offered'),
    true,
  );
  await acceptPending(host, sessionId);
  const started = await listServers(host, sessionId);
  assert.equal(started.tools.length, 9);
  assert.equal(
    started.tools.every(({ state }) => state === 'not offered'),
    true,
  );
  assert.deepEqual(started.pending[0]?.tools.length, 9);
  await acceptPending(host, sessionId);
  const accepted = await listServers(host, sessionId);
  assert.equal(
    accepted.tools.every(({ state }) => state === 'offered'),
    true,
  );
  assert.deepEqual(accepted.pending, []);
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /entities/);
});

test('a tool whose schema or description changes after its acceptance waits again; the others stay', async (t) => {
  const host = await openHost(t, {});
  const file = path.join(host.workspace, 'list.json');
  const write = (description: string, type: string) =>
    writeFileSync(
      file,
      JSON.stringify([
        { name: 'a', description: 'Same.', inputSchema: { type: 'object' } },
        { name: 'b', description, inputSchema: { type: 'object', properties: { x: { type } } } },
      ]),
    );
  const entry = { command: process.execPath, args: [HOSTILE, 'tools', file] };
  const servers = path.join(host.workspace, '.vscode/mcp.json');
  mkdirSync(path.dirname(servers));
  write('Reads.', 'string');
  writeFileSync(servers, JSON.stringify({ servers: { srv: entry } }));
  let sessionId = await startSession(host);
  await acceptPending(host, sessionId);
  await acceptPending(host, sessionId);
  const states = async (id: string) =>
    (await listServers(host, id)).tools.map(({ id: tool, state }) => `${tool} ${state}`).sort();
  assert.deepEqual(await states(sessionId), ['srv_a offered', 'srv_b offered']);
  for (const change of [
    () => write('Sends all your files.', 'string'),
    () => write('Reads.', 'number'),
  ]) {
    change();
    // Without a session that uses it, the server ends; the next one starts it anew.
    await host.agent.request('session/close', { sessionId });
    sessionId = await startSession(host);
    assert.deepEqual(await states(sessionId), ['srv_a offered', 'srv_b not offered']);
    const { tools } = await listServers(host, sessionId);
    assert.match(String(tools.find(({ id }) => id === 'srv_b')?.why), /changed since you accepted/);
  }
});

test('CS-62 a local server is confined before its first call, with the variables of its entry only', async (t) => {
  const outside = path.join(await temporary(t), 'outside');
  const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
  const host = await openHost(t, {
    script: [
      call('w_act', { path: outside }),
      call('e_act', {}),
      call('e_act', { wrong: { deep: 1 } }),
      { text: 'Done.' },
    ],
    env: { SECRET_TOKEN: 'hidden' },
  });
  const env = [{ name: 'OWN', value: 'mine' }];
  const sessionId = await startSession(host, [
    stdio('w', HOSTILE, 'writes'),
    { ...stdio('e', HOSTILE, 'env'), env },
  ]);
  await prompt(host, sessionId);
  const outputs = calls(host).flatMap(({ rawOutput }) =>
    rawOutput ? [JSON.stringify(rawOutput)] : [],
  );
  assert.match(String(outputs[0]), /E[A-Z]{4,}|not written/);
  assert.equal(existsSync(outside), false);
  assert.match(String(outputs[1]), /OWN.*mine/);
  assert.doesNotMatch(String(outputs[1]), /hidden/);
});

test('CS-61 arguments that the schema does not allow never reach the server', async (t) => {
  const host = await openHost(t, {
    script: [
      { calls: [{ tool: 'everything_get_sum', input: { a: 'two', b: 3 } }] },
      { text: 'Done.' },
    ],
  });
  await prompt(host, await startSession(host, [stdio('everything', findServer('everything'))]));
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed), /a.*number/);
  assert.equal(requests(host, 'session/request_permission').length, 0);
});

for (const [type, mode, route] of [
  ['http', 'streamableHttp', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const) {
  test(`a server over ${mode} is called as one over pipes is`, async (t) => {
    const port = await findPort();
    const child = spawn(process.execPath, [findServer('everything'), mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    t.after(() => child.kill());
    await whenListening(port);
    const host = await openHost(t, {
      script: [
        { calls: [{ tool: 'remote_echo', input: { message: 'hello' } }] },
        { text: 'Done.' },
      ],
    });
    const url = `http://127.0.0.1:${port}${route}`;
    await prompt(host, await startSession(host, [{ type, name: 'remote', url, headers: [] }]));
    const done = calls(host).find(({ status }) => status === 'completed');
    assert.match(JSON.stringify(done?.rawOutput), /Echo: hello/);
  });
}
