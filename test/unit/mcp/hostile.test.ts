import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { McpConnection } from '../../../src/mcp/connect/connection.ts';
import { temporary, until } from '../host/harness.ts';
import { hostile, openConnection, openSource, textOf } from './source.ts';

const SIGNAL = new AbortController().signal;

async function openReady(t: TestContext, mode: string, options: object = {}) {
  const opened = openConnection(t, hostile(mode, options));
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
  const { connection } = await openReady(t, 'hangs in a call', { timeoutMs: 300 });
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
    ['my_srv__fine', 'my_srv__a_b', 'my_srv__a_b_2'],
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
