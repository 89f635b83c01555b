import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { answerServer } from '../../../src/mcp/connect/answerServer.ts';
import type { McpConnection } from '../../../src/mcp/connect/connection.ts';
import { nameServers, toToolId } from '../../../src/mcp/tools/ids.ts';
import { findToolFault } from '../../../src/mcp/tools/mcpTool.ts';
import { temporary, until } from '../host/harness.ts';
import { listen } from '../tools/netBed.ts';
import { hostile, openConnection, openSource, textOf } from './source.ts';

const SIGNAL = new AbortController().signal;

async function openReady(t: TestContext, mode: string, server = hostile(mode)) {
  const opened = openConnection(t, server);
  await opened.connection.settled();
  assert.equal(opened.connection.state.type, 'ready');
  return opened;
}

function whyDown({ state }: McpConnection): string {
  return state.type === 'down' ? state.why : state.type;
}

for (const [mode, why] of [
  ['dies at start', /exited\. \(exit code 3\) there is no database/],
  ['floods at start', /far more messages than it was asked for/],
  ['endless line', /a message of more than 10 MB/],
  ['invalid list', /./],
] as const) {
  test(`a server that ${mode}: it is down, with the reason`, async (t) => {
    const { connection } = openConnection(t, hostile(mode));
    await until(() => connection.state.type === 'down', 'it is down');
    assert.match(whyDown(connection), why);
  });
}

test('a server that hangs at its start: a turn waits four seconds for it, and only once', async (t) => {
  const { clock, source, session } = openSource(t, [hostile('hangs at start')]);
  let offered = 0;
  const first = source.tools(session).then(() => (offered += 1));
  await until(() => clock.waiting.length > 0, 'the wait');
  assert.equal(offered, 0);
  clock.advance(4000);
  await first;
  const { tools, notOffered } = await source.tools(session);
  assert.deepEqual(tools, []);
  assert.match(notOffered[0]?.why ?? '', /mcp server srv is unavailable\. It is starting\./);
});

test('limits.serverStartMs says how long a turn waits for a server that hangs at its start', async (t) => {
  const { clock, source, session } = openSource(t, [hostile('hangs at start')]);
  const { mcp = { configured: {}, servers: [] } } = session;
  let offered = 0;
  const first = source
    .tools({ ...session, mcp: { ...mcp, startMs: 9000 } })
    .then(() => (offered += 1));
  await until(() => clock.waiting.length > 0, 'the wait');
  clock.advance(8999);
  await setImmediate();
  assert.equal(offered, 0);
  clock.advance(1);
  await first;
});

test('VC-63 a server that died: calls fail at once, and say so', async (t) => {
  const { connection } = await openReady(t, 'dies in a call');
  const ended = await connection.call('act', {}, { signal: SIGNAL });
  assert.deepEqual(ended, { ok: false, error: 'mcp server srv is unavailable' });
  assert.deepEqual(await connection.call('act', {}, { signal: SIGNAL }), ended);
});

test('VC-64 a server that is down is tried again after 1, 2, 5, 15, 60 and 60 seconds', async (t) => {
  const file = path.join(await temporary(t), 'starts');
  const { clock, connection } = openConnection(t, hostile('dies at start', { file }));
  const starts = () => readFileSync(file, 'utf8').split('\n').length - 1;
  await connection.settled();
  for (const [at, seconds] of [1, 2, 5, 15, 60, 60].entries()) {
    await until(() => connection.state.type === 'down' && clock.waiting.length > 0, 'it is down');
    assert.equal(starts(), at + 1);
    clock.advance(seconds * 1000 - 1);
    assert.equal(connection.state.type, 'down', `not before ${seconds} s`);
    clock.advance(1);
    assert.equal(connection.state.type, 'starting');
  }
});

test('a connection that is closed because its server is down starts it no more', async (t) => {
  const file = path.join(await temporary(t), 'starts');
  const { clock, connection } = openConnection(t, hostile('dies at start', { file }));
  let closed: Promise<void> | undefined;
  connection.onDidChange(() => {
    if (connection.state.type === 'down') closed = connection.close();
  });
  await until(() => closed !== undefined, 'it is down');
  await closed;
  assert.deepEqual(clock.waiting, []);
  assert.equal(readFileSync(file, 'utf8'), 'started\n');
});

test('a server that does not answer a call: the call ends at the limit, and the server stays', async (t) => {
  const server = hostile('hangs in a call');
  const { connection } = await openReady(t, 'hangs in a call', server);
  // Only now: its process may take longer than that to start.
  server.timeoutMs = 300;
  assert.deepEqual(await connection.call('act', {}, { signal: SIGNAL }), {
    ok: false,
    error: 'mcp server srv did not answer within 300 ms',
  });
  assert.equal(connection.state.type, 'ready');
});

test('an abort ends a call at once', async (t) => {
  const { connection } = await openReady(t, 'hangs in a call');
  const abort = new AbortController();
  const call = connection.call('act', {}, { signal: abort.signal });
  abort.abort();
  assert.equal((await call).ok, false);
});

for (const [mode, expected] of [
  ['huge result', /^9000000$/],
  ['noise', /^act \{"a":1\}$/],
] as const) {
  test(`a server with ${mode}: the call has its result`, async (t) => {
    const { connection } = await openReady(t, mode);
    const result = await connection.call('act', { a: 1 }, { signal: SIGNAL });
    const text = result.ok ? textOf(result.data) : result.error;
    assert.match(text.length > 1000 ? String(text.length) : text, expected);
  });
}

for (const [mode, expected] of [
  ['too large result', /is unavailable/],
  ['invalid result', /mcp server srv: /],
  ['error', /it broke/],
  ['error that names a sign-in', /the token lacks the scope "repo"/],
] as const) {
  test(`a server with ${mode}: the call fails, and nothing else does`, async (t) => {
    const { connection } = await openReady(t, mode);
    const result = await connection.call('act', {}, { signal: SIGNAL });
    assert.match(result.ok ? 'ok' : result.error, expected);
  });
}

test('PR-041 a server whose list of tools never ends: it is asked for some pages only', async (t) => {
  const { connection } = openConnection(t, hostile('endless pages'));
  await connection.settled();
  assert.notEqual(connection.state.type, 'starting');
});

test('CA-31 tools with names that no tool may have, or twice, are held with the reason; ids stay unique', async (t) => {
  const { source, session } = openSource(t, [hostile('odd tools', { name: 'my srv!' })]);
  const { tools, notOffered } = await source.tools(session);
  assert.deepEqual(
    tools.map(({ tool }) => tool.id),
    // A name that is an id already keeps it, wherever the server lists it.
    ['my_srv__fine', 'my_srv__a_b_2', 'my_srv__a_b'],
  );
  assert.deepEqual(
    notOffered.map(({ why }) => why),
    [
      'The server gives it a name that no tool may have.',
      'The server lists it twice.',
      'Its description and schema are too large.',
    ],
  );
});

test('issue 18: a tool or a result that is nested thousands deep is left out, and everything else stays', async (t) => {
  const servers = [hostile('deep data'), hostile('fine', { name: 'other' })];
  const { source, session } = openSource(t, servers);
  const { tools, notOffered } = await source.tools(session);
  assert.deepEqual(
    tools.map(({ tool }) => tool.id),
    ['srv_fine', 'other_act', 'other_more'],
  );
  assert.deepEqual(notOffered, [
    { id: 'deep', server: 'srv', why: 'Its description and schema are nested too deeply.' },
  ]);
  const runtime = { session: {}, signal: SIGNAL, sidecars: {} } as never;
  assert.deepEqual(await tools[0]?.tool.execute({}, runtime), {
    ok: true,
    data: { content: 'words\n(data that was left out: it is nested too deeply)' },
  });
});

test('VC-66, CA-31 two servers whose names give the same text: the second has a suffix, also in rules', async (t) => {
  const servers = [hostile('', { name: 'my-srv' }), hostile('', { name: 'my_srv' })];
  const { source, session } = openSource(t, servers);
  const { tools } = await source.tools(session);
  const named = tools.map(({ tool }) => [
    tool.id,
    tool.subjects({}).map((each) => each.permission),
  ]);
  assert.deepEqual(named, [
    ['my_srv_act', ['mcp:my-srv:act']],
    ['my_srv_more', ['mcp:my-srv:more']],
    ['my_srv_2_act', ['mcp:my_srv_2:act', 'mcp:my_srv:act']],
    ['my_srv_2_more', ['mcp:my_srv_2:more', 'mcp:my_srv:more']],
  ]);
});

test('VC-65 a list that changes during a turn counts from the next one on', async (t) => {
  const { source, session } = openSource(t, [hostile('changes list')]);
  const before = await source.tools(session);
  let changes = 0;
  source.onDidChange(() => (changes += 1));
  const [first] = before.tools;
  const runtime = { signal: SIGNAL, session: {}, sidecars: {} } as never;
  const result = await first?.tool.execute({}, runtime);
  assert.equal(result?.ok, true);
  await until(() => changes > 0, 'the change');
  assert.equal(before.tools.length, 2, 'the list of the turn is the same object as before');
});

test('issue 18: a server that tells of a changed list all the time is asked for it every 300 ms, and not at each word', async (t) => {
  const { clock, connection } = await openReady(t, 'list storm');
  const listed = () => {
    const { state } = connection;
    return state.type === 'ready' ? Number(state.tools[0]?.name.split('_')[1]) : 0;
  };
  await until(() => listed() === 2, 'the first change counts at once');
  for (let count = 3; count < 6; count += 1) {
    // Many changes are told meanwhile.
    await connection.call('act', {}, { signal: SIGNAL });
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(listed(), count - 1);
    clock.advance(300);
    await until(() => listed() === count, `list ${count}`);
  }
  await connection.close();
  assert.deepEqual(clock.waiting, []);
});

test('issue 18: a schema that refers to another host is never fetched, and its calls fail', async (t) => {
  let contacted = 0;
  const other = createServer((_, response) => {
    contacted += 1;
    response.end('{}');
  });
  const port = await listen(other);
  t.after(() => other.close());
  const file = path.join(await temporary(t), 'tools.json');
  const properties = { a: { $ref: `http://127.0.0.1:${port}/schema.json` } };
  const tool = { name: 'act', inputSchema: { type: 'object', properties } };
  const own = { ...tool, name: 'own', inputSchema: { ...tool.inputSchema, $id: 'http://x/y' } };
  writeFileSync(file, JSON.stringify([tool, own]));
  const { source, session } = openSource(t, [hostile('tools', { file })]);
  const { tools } = await source.tools(session);
  for (const { tool: offered } of tools) {
    assert.match((await offered.check?.({ a: 1 })) ?? 'valid', /schema/i, offered.id);
  }
  assert.equal(contacted, 0);
});

test('issue 18: names that only look alike have ids and rules of their own', () => {
  const names = nameServers([
    'github',
    'g\u0456thub',
    'git\u200bhub',
    'GITHUB',
    'vscode',
    '__proto__',
  ]);
  assert.equal(new Set(names).size, names.length);
  assert.ok(
    names.every((name) => /^[\w.-]+$/.test(name)),
    String(names),
  );
  assert.equal(names[0], 'github');
  const used = new Set<string>(['read']);
  const ids = names.map((name) => toToolId(name, 'read', used));
  assert.equal(new Set(ids).size, ids.length);
  const odd = { name: 'cre\u0430te', inputSchema: { type: 'object' as const } };
  assert.match(findToolFault(odd) ?? '', /no tool may have/);
});

test('issue 18: a form of 21 fields, or of megabytes, is refused whole', async () => {
  const asked: unknown[] = [];
  const handlers = new Map<string, (request: unknown, extra: unknown) => Promise<unknown>>();
  const client = { setRequestHandler: (method: string, run: never) => handlers.set(method, run) };
  const asker = () => ({ ok: true as const, data: async (form: unknown) => void asked.push(form) });
  answerServer(client as never, hostile(''), {
    ...{ roots: [], sampler: () => ({ ok: false as const, error: 'none' }) },
    asker: asker as never,
  });
  const ask = (requestedSchema: object, message = 'Which?') =>
    handlers.get('elicitation/create')?.(
      { params: { message, requestedSchema } },
      { mcpReq: { signal: SIGNAL } },
    );
  const field = { type: 'string' };
  const fields = Array.from({ length: 21 }, (_, at) => [`f${at}`, field]);
  await assert.rejects(async () => ask({ properties: Object.fromEntries(fields) }), /20 fields/);
  const huge = { type: 'string', title: 'x'.repeat(200_000) };
  await assert.rejects(async () => ask({ properties: { huge } }), /100 KB/);
  assert.deepEqual(asked, []);
  await ask({ properties: { a: { type: 'string', title: 'Ti\u200btle' } } }, 'Wh\u202eat?');
  assert.doesNotMatch(JSON.stringify(asked), /[\u200b\u202e]/);
});
