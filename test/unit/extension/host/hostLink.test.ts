import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ANSWER_MS } from '../../../../src/extension/host/hostLink.ts';
import { createExtensionSide } from '../extensionSide.ts';
import { settle } from '../fakeClock.ts';
import { start } from '../inProcessHost.ts';

/** A host that reads nothing and says nothing. */
const launch = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), pid: 1 });

test('PR-016: a host that never answers initialize is ended after 30 s, with an error, and another one is started', async () => {
  const { link, clock, running } = createExtensionSide({ launch });
  const failed = assert.rejects(link.connection(), /did not answer for 30 s, so it was ended/);
  clock.tick(ANSWER_MS - 1);
  await settle();
  assert.equal(running.ended, 0);
  clock.tick(1);
  await failed;
  assert.equal(running.ended, 1);
  running.host = false;
  link.hostExited({ code: null, signal: 'SIGTERM', stderrTail: '', restartIn: 250 });
  const again = assert.rejects(link.connection(), /did not answer/);
  assert.equal(running.host, true);
  clock.tick(ANSWER_MS);
  await again;
});

test('a host that answers leaves no timer behind', async () => {
  const { link, clock } = start();
  await link.connection();
  assert.equal(clock.waiting, 0);
});

test('a session is asked for as soon as the settings are sent, and a message waits for their answer', async () => {
  const toHost = new PassThrough();
  const fromHost = new PassThrough();
  const { link, chats } = createExtensionSide({
    launch: () => ({ stdin: toHost, stdout: fromHost, pid: 1 }),
  });
  const asked: { readonly id: number; readonly method: string }[] = [];
  const answer = (method: string, result: object) => {
    const { id } = asked.findLast((each) => each.method === method) ?? {};
    fromHost.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  };
  toHost.setEncoding('utf8').on('data', (lines: string) => {
    for (const line of lines.split('\n')) if (line !== '') asked.push(JSON.parse(line));
  });
  const until = async (count: number) => {
    for (let turn = 0; turn < 1_000 && asked.length < count; turn += 1)
      await new Promise(setImmediate);
    return asked.map(({ method }) => method);
  };
  const session = chats.open('stored');
  const loaded = chats.load(session);
  assert.deepEqual(await until(1), ['initialize']);
  answer('initialize', { protocolVersion: 1 });
  assert.deepEqual(await until(3), ['initialize', '_gatehouse/configure', 'session/load']);
  answer('session/load', {});
  await loaded;
  assert.equal(session.state.activity, 'idle');
  let connected = false;
  const connection = link.connection().then(() => {
    connected = true;
  });
  void chats.send(session, 'Go on.');
  assert.equal((await until(4)).length, 3);
  assert.equal(connected, false);
  answer('_gatehouse/configure', { problems: [] });
  await connection;
  // Each message is preceded by the settings.
  await until(4);
  answer('_gatehouse/configure', { problems: [] });
  assert.equal((await until(5)).at(-1), 'session/prompt');
});
