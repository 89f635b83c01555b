import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskPresenter } from '../../../../src/extension/asks/askPresenter.ts';
import { Asks, type QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import type { AskAnswer, PermissionAsk } from '../../../../src/webview/messages/asks.ts';
import { FakeClock, settle } from '../fakeClock.ts';

const ALLOW: AskAnswer = { kind: 'option', optionId: 'allow' };

test('the first answer wins, and a replayed one does nothing', async () => {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const result = asks.add(permission('a'), new AbortController().signal);
  clock.tick(600);
  assert.equal(asks.answer('a', ALLOW), true);
  assert.equal(asks.answer('a', { kind: 'option', optionId: 'deny' }), false);
  assert.deepEqual(await result, ALLOW);
});

test('an answer that was not offered is ignored', () => {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  void asks.add(permission('a'), new AbortController().signal);
  assert.equal(asks.answer('a', { kind: 'option', optionId: 'everything' }), false);
  assert.equal(asks.answer('a', { kind: 'form', content: {} }), false);
  assert.equal(asks.pending.length, 1);
});

test('a withdrawn ask resolves with no answer', async () => {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const stop = new AbortController();
  const result = asks.add(permission('a'), stop.signal);
  stop.abort();
  assert.equal(await result, undefined);
  assert.deepEqual(asks.pending, []);
});

test('withdrawing a session withdraws only its asks', () => {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  void asks.add(permission('a', 's1'), new AbortController().signal);
  void asks.add(permission('b', 's2'), new AbortController().signal);
  asks.withdraw('s1');
  assert.deepEqual(
    asks.pending.map(({ ask }) => ask.id),
    ['b'],
  );
});

test('asks are shown one at a time, oldest first', async () => {
  const { asks, shown, finish, clock } = present();
  add(asks, 'a');
  add(asks, 'b');
  assert.deepEqual(shown, ['a']);
  clock.tick(600);
  finish('a', ALLOW);
  await settle();
  assert.deepEqual(shown, ['a', 'b']);
});

test('nothing opens while the user types', () => {
  const { asks, shown, typing, clock } = present();
  typing.restLeft = 400;
  add(asks, 'a');
  assert.deepEqual(shown, []);
  typing.restLeft = 200;
  clock.tick(400);
  assert.deepEqual(shown, []);
  typing.restLeft = 0;
  clock.tick(200);
  assert.deepEqual(shown, ['a']);
});

test('nothing opens automatically while a terminal is in use, but the user can open it', () => {
  const { asks, shown, typing, presenter } = present();
  typing.inTerminal = true;
  add(asks, 'a');
  assert.deepEqual(shown, []);
  presenter.open();
  assert.deepEqual(shown, ['a']);
});

test('hiding one quick pick defers the whole queue until something new arrives', async () => {
  const { asks, shown, finish, presenter } = present();
  for (const id of ['a', 'b', 'c', 'd']) add(asks, id);
  finish('a', undefined);
  await settle();
  assert.deepEqual([shown, asks.pending.length, asks.deferred], [['a'], 4, true]);
  presenter.open();
  await settle();
  assert.deepEqual(shown, ['a', 'a']);
  finish('a', undefined);
  await settle();
  add(asks, 'e');
  assert.deepEqual([shown, asks.pending.length], [['a', 'a', 'a'], 5]);
});

test('choosing another request closes the quick pick and opens one for the chosen', async () => {
  const { asks, shown, signals, presenter } = present();
  add(asks, 'a');
  add(asks, 'b');
  presenter.open('b');
  await settle();
  assert.deepEqual([shown, signals.get('a')?.aborted, asks.deferred], [['a', 'b'], true, false]);
});

test('an answer in the chat closes the quick pick', async () => {
  const { asks, signals, clock } = present();
  add(asks, 'a');
  clock.tick(600);
  asks.answer('a', ALLOW);
  assert.equal(signals.get('a')?.aborted, true);
});

test('no quick pick opens if only the chat answers', () => {
  const { asks, shown } = present(false);
  add(asks, 'a');
  assert.deepEqual(shown, []);
});

function present(mayOpen = true) {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const typing = { restLeft: 0, inTerminal: false };
  const shown: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const finishers = new Map<string, (answer: AskAnswer | undefined) => void>();
  const presenter = new AskPresenter({
    ...{ asks, clock, typing },
    show: ({ ask }, signal) => {
      shown.push(ask.id);
      signals.set(ask.id, signal);
      return new Promise((resolve) => {
        finishers.set(ask.id, resolve);
        signal.addEventListener('abort', () => resolve(undefined));
      });
    },
    mayOpen: () => mayOpen,
    onError: assert.fail,
  });
  const finish = (id: string, answer: AskAnswer | undefined) => finishers.get(id)?.(answer);
  return { asks, clock, typing, shown, signals, presenter, finish };
}

function add(asks: Asks, id: string): void {
  void asks.add(permission(id), new AbortController().signal);
}

function permission(id: string, sessionId = 's'): QueuedAsk {
  const ask: PermissionAsk = {
    kind: 'permission',
    id,
    toolCallId: 'call',
    title: 'Run',
    toolKind: 'execute',
    subject: 'ls',
    length: 2,
    suspicious: false,
    why: '',
    diff: false,
    ...{ parts: [], diffs: [], offers: { allow: [], deny: [] } },
    options: [
      { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'deny', name: 'Reject', kind: 'reject_once' },
    ],
    since: 0,
  };
  return { sessionId, ask, source: { order: 1, agent: 'build' } };
}
