import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import { AskPresenter } from '../../../../src/extension/asks/askPresenter.ts';
import { Asks, type QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import type { PickOutcome } from '../../../../src/extension/asks/pickOutcome.ts';
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

test('requests are shown one at a time, in call order', async () => {
  const { asks, shown, finish, clock } = await present('a', 'b');
  assert.deepEqual(shown, ['a by itself']);
  clock.tick(600);
  finish('a', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.deepEqual(shown, ['a by itself', 'b by itself']);
  assert.equal(asks.pending.length, 1);
});

test('nothing opens by itself for a second after a key', async () => {
  const { asks, shown, typing, clock } = await present();
  typing.restLeft = 400;
  add(asks, 'a');
  await settle();
  typing.restLeft = 200;
  clock.tick(400);
  await settle();
  assert.deepEqual(shown, []);
  typing.restLeft = 0;
  clock.tick(200);
  await settle();
  assert.deepEqual(shown, ['a by itself']);
});

test('nothing opens by itself unless the chat has the focus, but the user can open it', async () => {
  const { asks, shown, focus, presenter } = await present();
  focus.set(false);
  add(asks, 'a');
  await settle();
  assert.deepEqual(shown, []);
  presenter.open();
  assert.deepEqual(shown, ['a by user']);
});

test('it opens when the user comes to the chat', async () => {
  const { asks, shown, focus } = await present();
  focus.set(false);
  add(asks, 'a');
  focus.set(true);
  await settle();
  assert.deepEqual(shown, ['a by itself']);
});

test('nothing opens if the focus left a moment ago, and the report of it is on its way', async () => {
  const { asks, shown, focus } = await present();
  focus.confirmed = false;
  add(asks, 'a');
  await settle();
  assert.deepEqual(shown, []);
});

test('nothing opens if a key came while the page was asked', async () => {
  const { asks, shown, focus, typing, clock } = await present();
  const confirmed = focus.hold();
  add(asks, 'a');
  typing.restLeft = 900;
  confirmed();
  await settle();
  assert.deepEqual(shown, []);
  typing.restLeft = 0;
  clock.tick(900);
  await settle();
  assert.deepEqual(shown, ['a by itself']);
});

test('a confirmation for a request that is gone opens nothing', async () => {
  const { asks, shown, focus } = await present();
  const confirmed = focus.hold();
  add(asks, 'a');
  asks.withdraw();
  confirmed();
  await settle();
  assert.deepEqual(shown, []);
});

test('hiding one quick pick defers the whole queue until something new arrives', async () => {
  const { asks, shown, finish, presenter } = await present('a', 'b', 'c', 'd');
  finish('a', { kind: 'hidden' });
  await settle();
  assert.deepEqual([shown, asks.pending.length, asks.deferred], [['a by itself'], 4, true]);
  presenter.open();
  finish('a', { kind: 'hidden' });
  await settle();
  assert.deepEqual(shown, ['a by itself', 'a by user']);
  add(asks, 'e');
  await settle();
  assert.deepEqual(shown, ['a by itself', 'a by user', 'a by itself']);
  assert.equal(asks.pending.length, 5);
});

test('choosing another request closes the quick pick and opens one for the chosen', async () => {
  const { asks, shown, signals, presenter } = await present('a', 'b');
  presenter.open('b');
  await settle();
  assert.deepEqual(
    [shown, signals.get('a')?.aborted, asks.deferred],
    [['a by itself', 'b by user'], true, false],
  );
});

test('opening one that opened by itself turns it into one that takes keys', async () => {
  const { shown, presenter } = await present('a');
  assert.equal(presenter.isOpen, false);
  presenter.open();
  assert.deepEqual([shown, presenter.isOpen], [['a by itself', 'a by user'], true]);
});

test('answering in a quick pick that the user opened goes on with the next request', async () => {
  const { asks, shown, finish, presenter, clock, focus } = await present();
  focus.set(false);
  add(asks, 'a');
  add(asks, 'b');
  presenter.open();
  clock.tick(600);
  finish('a', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.deepEqual(shown, ['a by user', 'b by user']);
});

test('it does not go on with a request for which no quick pick is wanted', async () => {
  const { asks, shown, finish, presenter, clock, allow } = await present();
  allow.pick = false;
  add(asks, 'a');
  add(asks, 'b');
  presenter.open();
  clock.tick(600);
  finish('a', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.deepEqual(shown, ['a by user']);
});

test('the quick pick stays closed for a request whose diff was opened', async () => {
  const { asks, shown, finish, details, focus, presenter } = await present('a', 'b');
  finish('a', { kind: 'details' });
  await settle();
  focus.set(false);
  focus.set(true);
  await settle();
  assert.deepEqual([shown, details, asks.deferred], [['a by itself'], ['a'], false]);
  presenter.open();
  assert.deepEqual(shown, ['a by itself', 'a by user']);
});

test('opening the diff elsewhere closes the quick pick without putting off the queue', async () => {
  const { asks, shown, signals, presenter } = await present('a', 'b');
  presenter.leave();
  await settle();
  assert.deepEqual(
    [shown, signals.get('a')?.aborted, asks.deferred],
    [['a by itself'], true, false],
  );
});

test('typed text goes to the composer, even if the request was answered meanwhile', async () => {
  const { asks, finish, typed, clock } = await present('a');
  clock.tick(600);
  asks.answer('a', ALLOW);
  finish('a', { kind: 'typed', text: 'hello' });
  await settle();
  assert.deepEqual([typed, asks.deferred], [['hello'], false]);
});

test('while typed text is on its way to the composer, which looks empty, no quick pick opens', async () => {
  const { finish, shown, typed, keys, hold, focus, clock } = await present('a');
  const release = hold();
  clock.tick(600);
  finish('a', { kind: 'typed', text: 'hello' });
  await settle();
  focus.set(true);
  await settle();
  assert.deepEqual([shown, typed, keys], [['a by itself'], [], [clock.now()]]);
  focus.set(false);
  release();
  await settle();
  assert.deepEqual([shown, typed], [['a by itself'], ['hello']]);
  focus.set(true);
  await settle();
  assert.equal(shown.length, 2, 'the composer is empty again');
});

test('the focus returns to the chat from a quick pick that opened by itself, and only then', async () => {
  const { finish, returned, presenter, clock } = await present('a', 'b');
  clock.tick(600);
  finish('a', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.equal(returned.length, 1);
  presenter.open('b');
  finish('b', { kind: 'hidden' });
  await settle();
  assert.equal(returned.length, 1);
});

test('a quick pick that the user opened in place of one that opened by itself returns the focus, after the last', async () => {
  const { finish, returned, presenter, shown, clock } = await present('a', 'b');
  presenter.open('a');
  clock.tick(600);
  finish('a', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.deepEqual([shown.at(-1), returned.length], ['b by user', 0]);
  clock.tick(600);
  finish('b', { kind: 'answered', answer: ALLOW });
  await settle();
  assert.equal(returned.length, 1);
});

test('Escape in a quick pick that opened by itself returns to the chat; a palette in its place keeps the focus', async () => {
  const { asks, finish, returned, presenter, signals, byItself } = await present('a');
  assert.deepEqual(byItself, [true]);
  presenter.escape();
  assert.equal(signals.get('a')?.aborted, true);
  finish('a', { kind: 'hidden' });
  await settle();
  assert.deepEqual([returned.length, asks.deferred, byItself], [1, true, [true, false]]);
  const other = await present('b');
  other.finish('b', { kind: 'hidden' });
  await settle();
  assert.deepEqual([other.returned.length, other.asks.deferred], [0, true]);
  // In a quick pick that the user opened, and when none is shown, Escape is VS Code's.
  other.presenter.open('b');
  other.presenter.escape();
  assert.deepEqual(other.byItself, [true, false]);
});

test('an answer in the chat closes the quick pick', async () => {
  const { asks, signals, clock } = await present('a');
  clock.tick(600);
  asks.answer('a', ALLOW);
  assert.equal(signals.get('a')?.aborted, true);
});

test('no quick pick opens if only the chat answers', async () => {
  const { asks, shown, allow } = await present();
  allow.pick = false;
  add(asks, 'a');
  await settle();
  assert.deepEqual(shown, []);
});

/** A focus that the test moves. */
function createFocus() {
  const changed = new Emitter<void>();
  let answer: Promise<boolean> | undefined;
  const focus = {
    idle: true,
    confirmed: true,
    onDidChange: changed.event,
    confirmIdle: () => answer ?? Promise.resolve(focus.confirmed),
    set(idle: boolean) {
      focus.idle = idle;
      changed.fire();
    },
    /** The page answers when the returned function is called. */
    hold() {
      const held = Promise.withResolvers<boolean>();
      answer = held.promise;
      return () => {
        answer = undefined;
        held.resolve(true);
      };
    },
  };
  return focus;
}

async function present(...ids: readonly string[]) {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const typing = { restLeft: 0, typed: () => keys.push(clock.now()) };
  const keys: number[] = [];
  let handing: Promise<void> = Promise.resolve();
  const focus = createFocus();
  const allow = { pick: true };
  const shown: string[] = [];
  const details: string[] = [];
  const typed: string[] = [];
  const returned: boolean[] = [];
  const byItself: boolean[] = [];
  const signals = new Map<string, AbortSignal>();
  const finishers = new Map<string, (outcome: PickOutcome) => void>();
  const presenter = new AskPresenter({
    ...{ asks, clock, typing, focus },
    show: ({ ask }, openedBy, signal) => {
      shown.push(`${ask.id} by ${openedBy}`);
      if (!signals.has(ask.id)) signals.set(ask.id, signal);
      return new Promise((resolve) => finishers.set(ask.id, resolve));
    },
    mayOpen: () => true,
    wantsPick: () => allow.pick,
    showDetails: ({ ask }) => details.push(ask.id),
    handOver: async (text) => {
      await handing;
      typed.push(text);
    },
    shownByItself: (shown) => byItself.push(shown),
    returnFocus: () => returned.push(true),
    onError: assert.fail,
  });
  for (const id of ids) add(asks, id);
  await settle();
  const finish = (id: string, outcome: PickOutcome) => finishers.get(id)?.(outcome);
  return {
    asks,
    clock,
    typing,
    focus,
    allow,
    keys,
    hold: () => {
      const held = Promise.withResolvers<void>();
      handing = held.promise;
      return () => held.resolve();
    },
    shown,
    details,
    typed,
    returned,
    byItself,
    signals,
    presenter,
    finish,
  };
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
