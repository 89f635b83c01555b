import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { Chunk } from '../../../../../src/base/stream/chunk.ts';
import { createClient } from '../../../../../src/host/client/client.ts';
import { createTurnPublisher } from '../../../../../src/host/session/turn/turnPublisher.ts';
import { createManualClock } from '../../../../tour/manualClock.ts';

const start: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'read' };
const input: Chunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'read', input: {} };
const running: Chunk = { type: 'tool-progress', toolCallId: 'c', display: {} };
const said: Chunk = { type: 'text-delta', id: 't', delta: 'so' };

test('what one tick brings is stored together, and shown only behind it', async () => {
  const { shown, log } = createShow();
  for (const chunk of [start, input, said]) shown.show(chunk);
  assert.deepEqual(log, []);
  await tick();
  assert.deepEqual(log, [
    'store tool-input-start tool-input-available text-delta',
    ...['tool_call', 'tool_call_update', 'agent_message_chunk'].map((each) => `show ${each}`),
  ]);
});

test('what has to be on record at once takes all that came before it along, and counts once', async () => {
  const { shown, log, clock } = createShow();
  shown.show(start);
  shown.show(input);
  shown.storeNow(running);
  const expected = ['store tool-input-start tool-input-available tool-progress'];
  assert.deepEqual(log, expected);
  shown.show(running);
  await tick();
  assert.deepEqual(log, expected);
  clock.advance(2);
  expected.push(
    ...['tool_call', 'tool_call_update', 'tool_call_update'].map((each) => `show ${each}`),
  );
  assert.deepEqual(log, expected);
  await shown.finish();
  assert.deepEqual(log, [...expected, 'show tool_call_update']);
});

test('what is stored and waits to be shown goes before whatever else is sent, and nothing unstored does', () => {
  const { shown, log, client } = createShow();
  shown.show(start);
  shown.storeNow(running);
  shown.show(said);
  void client.peer.notify('_gatehouse/terminal', {});
  const stored = 'store tool-input-start tool-progress';
  const told = ['show tool_call', 'show tool_call_update'];
  assert.deepEqual(log, [stored, ...told, 'send _gatehouse/terminal']);
  shown.leave();
});

test('what a tool brought waits until the next request has left, and for nothing else', async () => {
  const { shown, log, clock } = createShow();
  const output: Chunk = {
    ...{ type: 'tool-output-available', toolCallId: 'c' },
    output: { type: 'output', data: 'x', metadata: { duration_ms: 1 } },
  };
  shown.show(output);
  shown.show({ type: 'start-step' });
  await tick();
  assert.deepEqual(log, []);
  shown.show(said);
  await tick();
  const all = 'store tool-output-available start-step text-delta';
  const expected = [all, 'show tool_call_update', 'show agent_message_chunk'];
  assert.deepEqual(log, expected);
  shown.show({ ...output });
  clock.advance(2);
  assert.deepEqual(log.slice(3), ['store tool-output-available', 'show tool_call_update']);
});

test('what cannot be stored is not shown, does not run, and ends the turn', async () => {
  const { shown, log } = createShow({ full: true });
  shown.show(start);
  assert.throws(() => shown.storeNow(running), /the disk is full/);
  await assert.rejects(Promise.resolve(shown.ready()), /the disk is full/);
  await assert.rejects(shown.finish(), /the disk is full/);
  assert.deepEqual(log, []);
});

test('what a busy store has not stored is not shown, and nothing runs before; then it goes on in order', async () => {
  const busy = Promise.withResolvers<void>();
  const how: How = { behind: busy.promise };
  const { shown, log } = createShow(how);
  shown.show(start);
  shown.storeNow(running);
  shown.show(said);
  await tick();
  const stored = ['store tool-input-start tool-progress', 'store text-delta'];
  assert.deepEqual(log, stored);
  assert.ok(shown.ready() !== undefined && shown.stored() !== undefined);
  how.behind = undefined;
  busy.resolve();
  await shown.stored();
  const told = ['tool_call', 'tool_call_update', 'agent_message_chunk'];
  assert.deepEqual(log, [...stored, ...told.map((each) => `show ${each}`)]);
  assert.equal(shown.stored(), undefined);
});

test('a turn whose store stays broken ends, and what it holds is not shown', async () => {
  const busy = Promise.withResolvers<void>();
  const { shown, log } = createShow({ behind: busy.promise });
  shown.show(start);
  shown.storeNow(running);
  const stored = shown.stored();
  busy.reject(new Error('the disk is full'));
  await assert.rejects(Promise.resolve(stored), /the disk is full/);
  await assert.rejects(shown.finish(), /the disk is full/);
  assert.deepEqual(log, ['store tool-input-start tool-progress']);
});

test('a client that is gone ends no turn, and what came is stored all the same', async () => {
  const { shown, log } = createShow({ gone: true });
  shown.show(start);
  await tick();
  shown.storeNow(running);
  shown.show(said);
  shown.leave();
  await shown.finish();
  const stored = ['tool-input-start', 'tool-progress', 'text-delta'];
  assert.deepEqual(
    log,
    stored.map((each) => `store ${each}`),
  );
});

test('one tick holds back 1,024 chunks, and the turn waits while 32 updates are on their way', async () => {
  const { shown, log, release } = createShow({ slow: true });
  for (let count = 0; count < 1023; count += 1) shown.show({ ...said });
  assert.deepEqual([log.length, shown.ready()], [0, undefined]);
  shown.show({ ...said });
  assert.equal(log.length, 1025);
  const behind = shown.ready();
  assert.ok(behind !== undefined, 'the turn did not wait');
  release();
  await behind;
  assert.equal(shown.ready(), undefined);
});

function createShow(how: How = {}) {
  const log: string[] = [];
  const sent = Promise.withResolvers<void>();
  const client = createClient(
    {
      request: () => Promise.reject(new Error('nothing is asked')),
      async notify(method: string, params?: unknown) {
        if (method !== 'session/update') return void log.push(`send ${method}`);
        if (how.gone) throw new Error('the client is gone');
        const { update } = params as SessionNotification;
        log.push(`show ${update.sessionUpdate}`);
        if (how.slow) await sent.promise;
      },
    },
    { protocolVersion: 1 },
  );
  const clock = createManualClock();
  const record = (chunks: readonly Chunk[]) => {
    if (how.full) throw new Error('the disk is full');
    log.push(`store ${chunks.map(({ type }) => type).join(' ')}`);
    return how.behind;
  };
  const shown = createTurnPublisher({
    client,
    sessionId: 'ses_1',
    contextTokens: 0,
    record,
    clock,
  });
  return { shown, log, clock, client, release: sent.resolve };
}

interface How {
  readonly full?: boolean;
  readonly gone?: boolean;
  readonly slow?: boolean;
  /** What the store answers while it is busy. */
  behind?: Promise<void> | undefined;
}
