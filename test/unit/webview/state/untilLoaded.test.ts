import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { untilLoaded } from '../../../../src/webview/state/untilLoaded.ts';

/** A load that fails as often as said, and waits that the test ends. */
function scripted(failures: number) {
  const delays: number[] = [];
  const used: string[] = [];
  let due: (() => void) | undefined;
  let attempts = 0;
  const end = untilLoaded(
    async () => {
      attempts += 1;
      if (attempts <= failures) throw new Error('The script later.js did not load.');
      return 'cards';
    },
    (loaded) => used.push(loaded),
    (work, delay) => {
      delays.push(delay);
      due = work;
      return () => {
        due = undefined;
      };
    },
  );
  const pass = async () => {
    due?.();
    await setImmediate();
  };
  return { delays, used, end, pass, attempts: () => attempts };
}

test('the script with the request cards is loaded again after a failure, without another request', async () => {
  const { delays, used, pass } = scripted(2);
  await setImmediate();
  await pass();
  assert.deepEqual(used, []);
  await pass();
  assert.deepEqual(used, ['cards']);
  assert.deepEqual(delays, [1_000, 2_000]);
});

test('attempts to load the script become rarer, and go on', async () => {
  const { delays, pass } = scripted(9);
  await setImmediate();
  for (let at = 0; at < 8; at += 1) await pass();
  assert.deepEqual(delays.slice(4), [16_000, 30_000, 30_000, 30_000, 30_000]);
});

test('nothing is loaded after the page has ended it', async () => {
  const { used, end, pass, attempts } = scripted(1);
  await setImmediate();
  end();
  await pass();
  assert.deepEqual(used, []);
  assert.equal(attempts(), 1);
});
