import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asks, type QueuedAsk } from '../../../../src/extension/asks/asks.ts';

const NEVER = new AbortController().signal;

function ask(sessionId: string, id: string): QueuedAsk {
  return { sessionId, ask: { kind: 'question', id, message: 'Which?', fields: [], since: 0 } };
}

test('a request that was withdrawn before it is shown is not shown', async () => {
  const asks = new Asks();
  assert.equal(await asks.add(ask('s', 'a'), AbortSignal.abort()), undefined);
  assert.deepEqual(asks.pending, []);
});

test('a second request of the same id neither replaces nor ends the first', async () => {
  const asks = new Asks();
  const withdrawn = new AbortController();
  const first = asks.add(ask('one', 'a'), NEVER);
  const second = asks.add(ask('two', 'a'), withdrawn.signal);
  withdrawn.abort();
  assert.equal(await second, undefined);
  assert.deepEqual(asks.pending, [ask('one', 'a')]);
  assert.equal(asks.answer('a', { kind: 'decline' }), true);
  assert.equal(asks.answer('a', { kind: 'decline' }), false);
  assert.deepEqual(await first, { kind: 'decline' });
});
