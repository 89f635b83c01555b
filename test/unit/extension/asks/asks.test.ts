import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asks, type QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import type { Ask, AskAnswer } from '../../../../src/webview/messages/asks.ts';
import { FakeClock } from '../fakeClock.ts';

const NEVER = new AbortController().signal;
const DECLINE: AskAnswer = { kind: 'decline' };
/** Longer than a request has to be current before it can be answered. */
const READ = 600;

function ask(sessionId: string, id: string, order = 1): QueuedAsk {
  const question = { kind: 'question' as const, id, message: 'Which?', fields: [], since: 0 };
  return { sessionId, ask: question, source: { order, agent: 'build' } };
}

function start(...ids: readonly string[]) {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  for (const [index, id] of ids.entries()) void asks.add(ask('s', id, index + 1), NEVER);
  clock.tick(READ);
  return { clock, asks };
}

const current = ({ current: shown }: Asks) =>
  shown && `${shown.ask.id} ${shown.position} of ${shown.total}`;
const ids = (asks: Asks) => asks.pending.map(({ ask: { id } }) => id);

test('a request that was withdrawn before it is shown is not shown', async () => {
  const { asks } = start();
  assert.equal(await asks.add(ask('s', 'a'), AbortSignal.abort()), undefined);
  assert.deepEqual(asks.pending, []);
});

test('a second request of the same id neither replaces nor ends the first', async () => {
  const { asks, clock } = start();
  const withdrawn = new AbortController();
  const first = asks.add(ask('one', 'a'), NEVER);
  const second = asks.add(ask('two', 'a'), withdrawn.signal);
  withdrawn.abort();
  assert.equal(await second, undefined);
  assert.deepEqual(asks.pending, [ask('one', 'a')]);
  clock.tick(READ);
  assert.equal(asks.answer('a', DECLINE), true);
  assert.equal(asks.answer('a', DECLINE), false);
  assert.deepEqual(await first, DECLINE);
});

test('requests are in call order, however they arrive', () => {
  const { asks } = start();
  for (const [id, order] of [
    ['c', 3],
    ['a', 1],
    ['d', 4],
    ['b', 2],
  ] as const) {
    void asks.add(ask('s', id, order), NEVER);
  }
  assert.deepEqual(ids(asks), ['a', 'b', 'c', 'd']);
  assert.equal(current(asks), 'a 1 of 4');
});

test('an earlier call does not replace a request that the user may be reading', () => {
  const { asks, clock } = start();
  void asks.add(ask('s', 'b', 2), NEVER);
  clock.tick(READ);
  void asks.add(ask('s', 'a', 1), NEVER);
  assert.equal(current(asks), 'b 2 of 2');
});

test('an earlier call does not replace a request that the user chose', () => {
  const { asks } = start();
  void asks.add(ask('s', 'b', 2), NEVER);
  asks.select('b');
  void asks.add(ask('s', 'a', 1), NEVER);
  assert.equal(current(asks), 'b 2 of 2');
});

test('the order of unnumbered requests is that of their arrival', () => {
  const { asks } = start();
  for (const id of ['b', 'a']) void asks.add(ask('s', id, Number.POSITIVE_INFINITY), NEVER);
  assert.deepEqual(ids(asks), ['b', 'a']);
});

test('answering moves on to the next request, and after the last one to the first', () => {
  const { asks, clock } = start('a', 'b', 'c');
  asks.select('b');
  clock.tick(READ);
  assert.equal(asks.answer('b', DECLINE), true);
  assert.equal(current(asks), 'c 2 of 2');
  clock.tick(READ);
  assert.equal(asks.answer('c', DECLINE), true);
  assert.equal(current(asks), 'a 1 of 1');
});

for (const delay of [0, 50, 180, 400, 599]) {
  test(`a second answer ${delay} ms later does not answer the next request`, () => {
    const { asks, clock } = start('a', 'b');
    assert.equal(asks.answer('a', DECLINE), true);
    clock.tick(delay);
    assert.equal(asks.answer('b', DECLINE), false);
    assert.deepEqual(ids(asks), ['b']);
    // An early answer starts the delay again, so repeated clicks or keys never get through.
    clock.tick(599);
    assert.equal(asks.answer('b', DECLINE), false);
    clock.tick(READ);
    assert.equal(asks.answer('b', DECLINE), true);
  });
}

test('a clock that is set back does not block answers', () => {
  const { asks, clock } = start('a');
  const now = clock.now();
  clock.now = () => now - 60_000;
  assert.equal(asks.answer('a', DECLINE), true);
});

test('the queue is deferred once, until something new arrives', () => {
  const { asks } = start('a', 'b', 'c', 'd');
  let changes = 0;
  asks.onDidChange(() => {
    changes += 1;
  });
  asks.defer();
  asks.defer();
  assert.deepEqual([asks.deferred, changes, asks.pending.length], [true, 1, 4]);
  asks.withdraw('other');
  assert.equal(asks.deferred, true);
  void asks.add(ask('s', 'e', 5), NEVER);
  assert.deepEqual([asks.deferred, current(asks)], [false, 'a 1 of 5']);
});

test('choosing a request ends the deferral', () => {
  const { asks } = start('a', 'b');
  asks.defer();
  asks.selectNext();
  assert.deepEqual([asks.deferred, current(asks)], [false, 'b 2 of 2']);
  asks.selectNext();
  assert.equal(current(asks), 'a 1 of 2');
});

test('a queue that was deferred and emptied starts anew', () => {
  const { asks } = start('a');
  asks.defer();
  asks.withdraw();
  assert.deepEqual([asks.deferred, asks.current], [false, undefined]);
});

test('withdrawing the current request moves on', () => {
  const { asks } = start('a', 'b');
  const withdrawn = new AbortController();
  void asks.add(ask('t', 'c', 3), withdrawn.signal);
  asks.select('c');
  withdrawn.abort();
  assert.equal(current(asks), 'a 1 of 2');
});

test('an answer from any surface leaves out what is shown as left out, and nothing else', async () => {
  const { asks, clock } = start();
  const entry = (id: string) => ({ id, text: id, kept: true });
  const permission: Ask = {
    ...{
      kind: 'permission' as const,
      id: 'a',
      toolCallId: 'c',
      title: 'Changes',
      toolKind: 'edit' as const,
    },
    ...{ subject: 'a', length: 1, suspicious: false, why: '', parts: [], diff: false, diffs: [] },
    options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }],
    ...{ since: 0, offers: { allow: [], deny: [] }, entries: [entry('0'), entry('1')] },
  };
  const answered = asks.add({ sessionId: 's', ask: permission, source: SOURCE }, NEVER);
  clock.tick(READ);
  asks.keepEntries('a', ({ id }) => id !== '1');
  assert.equal(
    asks.keepEntries('none', () => false),
    undefined,
  );
  asks.answer('a', { kind: 'option', optionId: 'allow', leftOut: ['0'] });
  assert.deepEqual(await answered, { kind: 'option', optionId: 'allow', leftOut: ['1'] });
});

const SOURCE = { order: 1, agent: 'build' };
