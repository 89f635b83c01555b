import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSteadyNotices } from '../../../../src/extension/asks/steadyNotices.ts';
import { FakeClock } from '../fakeClock.ts';

interface Shown {
  readonly message: string;
  answer(button: string | undefined): void;
}

function open() {
  const clock = new FakeClock();
  const shown: Shown[] = [];
  const chosen: (string | undefined)[] = [];
  const notify = createSteadyNotices((message) => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    shown.push({ message, answer: resolve });
    return promise;
  }, clock);
  const add = async (message: string) => {
    const button = await notify(message, 'Undo');
    chosen.push(button === undefined ? undefined : `${message}: ${button}`);
  };
  return { clock, shown, chosen, add };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the second click of a double click answers no other notice, which is shown again', async () => {
  const { clock, shown, chosen, add } = open();
  void add('one');
  void add('two');
  shown[0]?.answer('Undo');
  await settle();
  clock.tick(400);
  shown[1]?.answer('Undo');
  await settle();
  assert.deepEqual(chosen, ['one: Undo']);
  assert.deepEqual(
    shown.map(({ message }) => message),
    ['one', 'two', 'two'],
  );
  clock.tick(600);
  shown[2]?.answer('Undo');
  await settle();
  assert.deepEqual(chosen, ['one: Undo', 'two: Undo']);
});

test('a notice that is closed is not shown again', async () => {
  const { shown, chosen, add } = open();
  void add('one');
  void add('two');
  shown[0]?.answer('Undo');
  shown[1]?.answer(undefined);
  await settle();
  assert.deepEqual(chosen, ['one: Undo', undefined]);
  assert.equal(shown.length, 2);
});

test('the title of a request makes no link that runs a command', () => {
  const { shown, add } = open();
  void add('Run [ls](command:evil.run)');
  assert.equal(shown[0]?.message, 'Run [ls] (command:evil.run)');
});
