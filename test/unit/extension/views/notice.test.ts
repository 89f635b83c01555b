import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asks, type QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import { Notices, type NotifyWhen } from '../../../../src/extension/views/notice.ts';
import { english } from '../english.ts';
import { FakeClock, settle } from '../fakeClock.ts';

const NEVER = new AbortController().signal;
/** The longest a user may wait for a notice, in milliseconds. */
const SOON = 1000;

test('a notice tells of a request while the window is not focused, and Show goes to it', async () => {
  const { add, clock, shown, went } = start();
  add('a');
  clock.tick(SOON);
  assert.deepEqual(shown, ['The agent needs your answer: a?']);
  await settle();
  assert.deepEqual(went, ['a']);
});

test('requests that arrive together share a notice', () => {
  const { add, clock, shown } = start();
  for (const id of ['a', 'b', 'c', 'd']) add(id);
  clock.tick(SOON);
  add('e');
  clock.tick(SOON);
  assert.deepEqual(shown, [
    'The agent needs 4 answers, first: a?',
    'The agent needs your answer: e?',
  ]);
});

test('a request that is gone at once is not told', () => {
  const { asks, add, clock, shown } = start();
  add('a');
  asks.withdraw();
  clock.tick(SOON);
  assert.deepEqual(shown, []);
});

test('the settings and the focus decide', () => {
  const told = (when: NotifyWhen, focused: boolean) => {
    const { add, notices, clock, shown } = start({ when, focused });
    add('a');
    notices.ended(session());
    clock.tick(SOON);
    return shown.length;
  };
  assert.deepEqual(
    (['off', 'windowNotFocused', 'always'] as const).map((when) => [
      told(when, true),
      told(when, false),
    ]),
    [
      [0, 0],
      [0, 2],
      [2, 2],
    ],
  );
});

test('the end of a turn is told', async () => {
  const { notices, shown, opened } = start();
  notices.ended(session());
  assert.deepEqual(shown, ['The agent is done: Fix the sum']);
  await settle();
  assert.equal(opened.length, 1);
});

test('sound and the notification of the system are sent only if they are wanted', () => {
  const quiet = start();
  quiet.notices.ended(session());
  assert.deepEqual(quiet.alerts, []);
  const loud = start({ sound: true, system: true });
  loud.notices.ended(session());
  assert.deepEqual(loud.alerts, [{ sound: true, notification: 'The agent is done: Fix the sum' }]);
});

test('the button goes to the current request if the first was answered meanwhile', async () => {
  const { asks, add, clock, went, press } = start({ press: false });
  add('a');
  add('b');
  clock.tick(SOON);
  asks.answer('a', { kind: 'decline' });
  press();
  await settle();
  assert.deepEqual(went, ['b']);
});

function start({
  when = 'windowNotFocused',
  focused = false,
  sound = false,
  system = false,
  press: pressed = true,
}: {
  readonly when?: NotifyWhen;
  readonly focused?: boolean;
  readonly sound?: boolean;
  readonly system?: boolean;
  readonly press?: boolean;
} = {}) {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const shown: string[] = [];
  const alerts: unknown[] = [];
  const went: string[] = [];
  const opened: unknown[] = [];
  const button = Promise.withResolvers<string>();
  if (pressed) button.resolve('Show');
  const notify = (text: string) => {
    shown.push(text);
    return button.promise;
  };
  const notices = new Notices({
    ...{ asks, clock, notify, t: english },
    windowFocused: () => focused,
    settings: () => ({ whenWaiting: when, whenDone: when, sound, system }),
    alert: (alert) => alerts.push(alert),
    goTo: ({ ask }) => went.push(ask.id),
    open: (each) => opened.push(each),
  });
  const add = (id: string) => void asks.add(question(id), NEVER);
  const press = () => button.resolve('Show');
  return { notices, asks, add, clock, shown, alerts, went, opened, press };
}

function session() {
  return { state: { title: 'Fix the sum' } } as never;
}

function question(id: string): QueuedAsk {
  const ask = { kind: 'question' as const, id, message: `${id}?`, fields: [], since: 0 };
  return { sessionId: 's', ask, source: { order: 1, agent: 'build' } };
}
