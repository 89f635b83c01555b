import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep, systemClock } from '../../../src/base/clock.ts';
import { createManualClock } from '../../tour/manualClock.ts';

test('a sleep ends after its time', async () => {
  const clock = createManualClock();
  const slept = sleep(clock, 500, new AbortController().signal);
  clock.advance(499);
  assert.deepEqual(clock.waiting, [1]);
  clock.advance(1);
  await slept;
});

test('an abort ends a sleep with its reason and leaves no timer', async () => {
  const clock = createManualClock();
  const abort = new AbortController();
  const slept = sleep(clock, 500, abort.signal);
  abort.abort(new Error('stop'));
  await assert.rejects(slept, /stop/);
  assert.deepEqual(clock.waiting, []);
  await assert.rejects(sleep(clock, 500, abort.signal), /stop/);
});

test('a disposed timer of the system clock does not run', async () => {
  let ran = false;
  systemClock
    .after(0, () => {
      ran = true;
    })
    .dispose();
  await new Promise<void>((resolve) => systemClock.after(1, resolve));
  assert.equal(ran, false);
});
