import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isToolPart } from '../../../src/base/stream/stored.ts';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { type Host, poll, promptOf, start } from './stdioHost.ts';

const COMMAND = 'echo x >> ran; while [ ! -e go ]; do sleep 0.02; done; echo "$((6 * 7))"';
const SCRIPT = [
  { calls: [{ tool: 'bash', input: { command: COMMAND }, id: 'c1' }] },
  { text: 'Done.' },
];

test('a command whose result comes while the history is locked keeps it, and runs once', async (t) => {
  const { host, sessionId } = await startTurn(t);
  allow(host, await host.asked('session/request_permission'));
  await poll(() => existsSync(path.join(host.data, 'ran')), 'the command runs');
  const unlock = lock(host);
  writeFileSync(path.join(host.data, 'go'), '');
  // The host serves others meanwhile, and the model gets nothing that is not on record.
  for (let count = 0; count < 10; count++) {
    const listed = await host.request('session/list', {});
    assert.equal(Object(listed.result).sessions.length, 1);
  }
  assert.equal(host.model.requests.length, 1);
  unlock();
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'end_turn' });
  assert.match(JSON.stringify(host.model.requests[1]?.body), /42/);
  assert.equal(readFileSync(path.join(host.data, 'ran'), 'utf8'), 'x\n');
  assert.deepEqual(storedStates(host, sessionId), ['output-available']);
});

test('a command does not run before a locked history says that it runs, and a prompt waits', async (t) => {
  const { host, sessionId } = await startTurn(t);
  const asked = await host.asked('session/request_permission');
  const unlock = lock(host);
  writeFileSync(path.join(host.data, 'go'), '');
  allow(host, asked);
  for (let count = 0; count < 10; count++) await host.request('session/list', {});
  assert.equal(existsSync(path.join(host.data, 'ran')), false);
  unlock();
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'end_turn' });
  const again = lock(host);
  host.send({ id: 'next', method: 'session/prompt', params: promptOf(sessionId) });
  await host.request('session/list', {});
  assert.equal(host.model.requests.length, 2);
  again();
  assert.deepEqual((await host.answered('next')).result, { stopReason: 'end_turn' });
  assert.equal(host.model.requests.length, 3);
});

test('a prompt waits for a locked history also after a review, of which the model is told', async (t) => {
  const { host, sessionId } = await startTurn(t);
  writeFileSync(path.join(host.data, 'go'), '');
  allow(host, await host.asked('session/request_permission'));
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'end_turn' });
  const recorder = openRecorder(databaseOf(host));
  recorder.addOutcome(sessionId, { id: 'rev_1', text: 'They rejected a.ts.', display: {} });
  recorder.close();
  const unlock = lock(host);
  host.send({ id: 'next', method: 'session/prompt', params: promptOf(sessionId) });
  for (let count = 0; count < 3; count++) await host.request('session/list', {});
  unlock();
  assert.deepEqual((await host.answered('next')).result, { stopReason: 'end_turn' });
  assert.match(JSON.stringify(host.model.requests[2]?.body), /They rejected a\.ts\./);
});

test('a review that ends during a turn whose history is locked is told to the model once', async (t) => {
  const { host, sessionId } = await startTurn(t);
  allow(host, await host.asked('session/request_permission'));
  await poll(() => existsSync(path.join(host.data, 'ran')), 'the command runs');
  const recorder = openRecorder(databaseOf(host));
  recorder.addOutcome(sessionId, { id: 'rev_1', text: 'They rejected a.ts.', display: {} });
  const unlock = lock(host);
  writeFileSync(path.join(host.data, 'go'), '');
  for (let count = 0; count < 3; count++) await host.request('session/list', {});
  assert.equal(host.model.requests.length, 1);
  unlock();
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'end_turn' });
  const body = JSON.stringify(host.model.requests[1]?.body);
  assert.equal(body.split('They rejected a.ts.').length, 2);
  assert.deepEqual(recorder.outcomes(sessionId), []);
  recorder.close();
});

test('a call that waits for a locked history is cancelled without running', async (t) => {
  const { host, sessionId } = await startTurn(t);
  const asked = await host.asked('session/request_permission');
  const unlock = lock(host);
  allow(host, asked);
  await host.request('session/list', {});
  host.send({ method: 'session/cancel', params: { sessionId } });
  await host.request('session/list', {});
  unlock();
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'cancelled' });
  assert.equal(existsSync(path.join(host.data, 'ran')), false);
});

test('damage that is found in a turn is told in the chat, and the session goes on', async (t) => {
  const { host, sessionId } = await startTurn(t);
  const asked = await host.asked('session/request_permission');
  const file = databaseOf(host);
  const other = openDatabase(file, () => 0);
  other.get('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  writeFileSync(file, 'not a database');
  writeFileSync(path.join(host.data, 'go'), '');
  allow(host, asked);
  assert.deepEqual((await host.answered('turn')).result, { stopReason: 'end_turn' });
  const told = host.lines.map(({ message }) => JSON.stringify(message)).join('\n');
  assert.match(told, /The history was damaged\..*was renamed to.*You can go on working/);
  assert.equal(readFileSync(path.join(host.data, 'ran'), 'utf8'), 'x\n');
  assert.deepEqual(storedStates(host, sessionId), ['output-available']);
});

async function startTurn(t: TestContext) {
  const host = await start(t, { script: [...SCRIPT, { text: 'Again.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  return { host, sessionId };
}

function allow(host: Host, { id }: { id?: unknown }): void {
  host.send({ id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
}

/** As a backup program does that holds the file. */
function lock(host: Host): () => void {
  const database = openDatabase(databaseOf(host), () => 0);
  database.get('BEGIN IMMEDIATE');
  return () => {
    database.get('COMMIT');
    database.close();
  };
}

function databaseOf(host: Host): string {
  return path.join(host.data, 'state', 'gatehouse.db');
}

function storedStates(host: Host, sessionId: string): readonly string[] {
  const recorder = openRecorder(databaseOf(host));
  try {
    const parts = recorder.messages(sessionId).flatMap((message) => message.parts);
    return parts.filter(isToolPart).map(({ state }) => state);
  } finally {
    recorder.close();
  }
}
