import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { marked, poll, promptOf, residentBytes, sleeper, start } from './stdioHost.ts';

// The corpus of protocol faults, as far as an agent meets them (area `protocol`).
for (const [id, line, code] of [
  ['PR-001', 'this is not JSON', -32700],
  ['PR-004', '42', -32600],
  ['PR-005', 'null', -32600],
  ['PR-006', '[]', -32600],
  ['PR-007', '{}', -32600],
  ['PR-008', '"x"', -32600],
  ['PR-010', '{"jsonrpc":"2.0"}', -32600],
  ['PR-011', '{"jsonrpc":"2.0","id":999,"result":{}}', undefined],
  ['PR-014', '{"jsonrpc":"2.0","id":"odd","method":"no/such","params":{}}', -32601],
  [
    'PR-035',
    '{"jsonrpc":"2.0","id":"odd","method":"session/list","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    undefined,
  ],
] as const) {
  test(`${id}: ${line.slice(0, 50)}`, async (t) => {
    const host = await start(t);
    await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    host.write(Buffer.from(`${line}\n`));
    const { sessionId } = await host.newSession();
    assert.match(sessionId, /^ses_/);
    const codes = () => host.lines.flatMap(({ message }) => message.error?.code ?? []);
    if (code !== undefined) await poll(() => codes().length > 0, 'an answer');
    assert.deepEqual(codes(), code === undefined ? [] : [code]);
    assert.equal(Reflect.get(Object.prototype, 'polluted'), undefined);
  });
}

test('PR-012, PR-013: a second answer, or one whose id only looks alike, is ignored', async (t) => {
  const host = await start(t, { script: [{ calls: [sleeper('answers')] }, { text: 'Ok.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const turn = host.request('session/prompt', promptOf(sessionId));
  const ask = await host.asked('session/request_permission');
  const answer = (id: unknown, optionId: string) =>
    host.send({ id, result: { outcome: { outcome: 'selected', optionId } } });
  answer(String(ask.id), 'allow');
  answer(ask.id, 'reject');
  answer(ask.id, 'allow');
  assert.deepEqual((await turn).result, { stopReason: 'end_turn' });
  assert.deepEqual(marked('answers'), []);
});

test('PR-002: half a message and then the end are survived; what came before is kept', async (t) => {
  const host = await start(t, { script: [{ text: 'Kept.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  await host.request('session/prompt', promptOf(sessionId));
  host.child.stdin?.end('{"jsonrpc":"2.0","id":9,"method":"session/li');
  assert.equal(await host.exit, 0);
  const next = await start(t, { data: host.data });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await next.request('session/load', { sessionId, cwd: host.data, mcpServers: [] });
  assert.match(JSON.stringify(next.lines), /Kept\./);
});

test('PR-003: a line of 200 MB is an error, and the host lives; the memory does not grow with it', async (t) => {
  // When garbage is collected is chance, on a busy machine more so; what is held is held every time.
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least >= MOST_GROWTH; attempt += 1)
    least = Math.min(least, await growthByLongLine(t));
  assert.ok(least < MOST_GROWTH, `it grew by ${least >> 20} MB`);
});

/** The bytes that went by are garbage until they are collected; all of the line would be 200 MB. */
const MOST_GROWTH = 128 << 20;

/** Bytes by which a host grows at most while a line of 200 MB is sent to it. It answers, and goes on. */
async function growthByLongLine(t: TestContext): Promise<number> {
  const host = await start(t);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  // A whole turn first: what the host loads for it is no growth.
  await host.request('session/prompt', promptOf(sessionId));
  const before = residentBytes(host.child.pid ?? 0);
  let peak = before;
  const piece = Buffer.alloc(1 << 20, 'x');
  for (let sent = 0; sent < 200; sent += 1) {
    if (!host.child.stdin?.write(piece)) await once(host.child.stdin ?? host.child, 'drain');
    peak = Math.max(peak, residentBytes(host.child.pid ?? 0));
  }
  host.write(Buffer.from('\n'));
  assert.match((await host.newSession()).sessionId, /^ses_/);
  const codes = host.lines.flatMap(({ message }) => message.error?.code ?? []);
  assert.deepEqual(codes, [-32600]);
  return peak - before;
}

test('PR-032, PR-033: split characters, a carriage return and bytes that are no UTF-8', async (t) => {
  const host = await start(t);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const line = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'split', method: 'session/new', params: { cwd: '/tmp/größe-🦉', mcpServers: [] } })}\r\n`,
  );
  for (const byte of line) host.write(Buffer.from([byte]));
  const reply = await host.answered('split');
  const listed = await host.request('session/list', { cwd: '/tmp/größe-🦉' });
  assert.equal(Object(listed.result).sessions[0].sessionId, Object(reply.result).sessionId);
  host.write(Buffer.from([0xff, 0xfe, 0x0a]));
  assert.match((await host.newSession()).sessionId, /^ses_/);
});

test('PR-036: an unknown version is answered with our own', async (t) => {
  const host = await start(t);
  const reply = await host.request('initialize', { protocolVersion: 999 });
  assert.equal(Object(reply.result).protocolVersion, 1);
});
