import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { createManualClock, type ManualClock } from '../../tour/manualClock.ts';
import { CALL, OUTPUT, openTurn } from './openRecorder.ts';

/** SQLite's own wait is 5 s; a thread that is held for it answers nobody. By the clock, as a wait takes no processor time. */
const MOST_MS = 4_900;

test('what is recorded while the file is locked blocks nothing, is kept, and is stored in order afterwards', async (context) => {
  const { turn, sessionId, second, lock, clock, recorder } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  const unlock = lock();
  const started = performance.now();
  turn.record({ type: 'tool-progress', toolCallId: 'c1', display: {} });
  for (let count = 0; count < 200; count++) {
    turn.record({ type: 'data-acp-update', data: { count } });
  }
  turn.record({ type: 'tool-output-available', toolCallId: 'c1', output: OUTPUT });
  assert.equal(performance.now() - started < MOST_MS, true);
  const { behind } = turn;
  assert.ok(behind !== undefined);
  assert.throws(() => recorder.messages(sessionId), /Nothing was lost/);
  await pass(clock, 5_000);
  unlock();
  await pass(clock, 100);
  await behind;
  assert.equal(turn.behind, undefined);
  const parts = second().messages(sessionId)[0]?.parts ?? [];
  assert.deepEqual(
    parts.map((part) => ('state' in part ? part.state : 'data' in part && Object(part.data).count)),
    ['output-available', ...Array.from({ length: 200 }, (_, count) => count)],
  );
  assert.deepEqual(recorder.notices, []);
});

test('a turn that ends while the file is locked is stored afterwards, and the next one comes behind it', async (context) => {
  const { turn, sessionId, lock, clock, recorder } = openTurn(context);
  turn.record({ type: 'start-step' });
  const unlock = lock();
  turn.record({ type: 'data-acp-update', data: { last: true } });
  turn.record({ type: 'finish', finishReason: 'stop' });
  assert.equal(turn.close(), false);
  assert.throws(() => recorder.openTurn(sessionId), /Nothing was lost/);
  unlock();
  await pass(clock, 100);
  const next = recorder.openTurn(sessionId);
  assert.ok(next.ok);
  next.data.record({ type: 'start-step' });
  assert.deepEqual(
    recorder
      .messages(sessionId)
      .map(({ metadata, parts }) => [metadata.finish_reason, parts.length]),
    [
      ['stop', 2],
      [undefined, 1],
    ],
  );
});

test('a file that is locked for half a minute is said, and nothing is given up', async (context) => {
  const { turn, sessionId, lock, clock, recorder, second } = openTurn(context);
  turn.record({ type: 'start-step' });
  const unlock = lock();
  turn.record({ type: 'data-acp-update', data: { note: 1 } });
  const waiting = recorder.free()?.catch(String);
  await pass(clock, 70_000);
  assert.match(String(await waiting), /locked by another program\. Nothing was lost; try again/);
  assert.equal(recorder.notices.length, 1);
  assert.match(recorder.notices[0] ?? '', /locked by another program.*kept in memory/);
  unlock();
  await pass(clock, 100);
  assert.equal(second().messages(sessionId)[0]?.parts.length, 2);
});

test('whoever waits for a locked file is served when it is free, and a cancel ends the wait', async (context) => {
  const { recorder, lock, clock } = openTurn(context);
  assert.equal(recorder.free(), undefined);
  const unlock = lock();
  const cancel = new AbortController();
  const cancelled = recorder.free(cancel.signal);
  const served = recorder.free();
  cancel.abort(new Error('stop'));
  await assert.rejects(Promise.resolve(cancelled), /stop/);
  unlock();
  await pass(clock, 100);
  await served;
  assert.equal(recorder.free(), undefined);
});

test('a write to a locked file fails in time, stores nothing, and says what to do', (context) => {
  const { lock, file, sessionId } = openTurn(context);
  const recorder = openRecorder(file, { clock: createManualClock() });
  context.after(() => recorder.close());
  const unlock = lock();
  const started = performance.now();
  const late = /is locked by another program\. Nothing was lost; try again in a moment/;
  assert.throws(() => recorder.setTitle(sessionId, 'New'), late);
  assert.throws(() => recorder.count(sessionId, 'searches'), late);
  assert.equal(performance.now() - started < MOST_MS, true);
  unlock();
  assert.equal(recorder.session(sessionId)?.title, undefined);
  assert.equal(recorder.count(sessionId, 'searches'), 1);
});

/** Lets time pass in steps, with what it sets off. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await tick();
    clock.advance(50);
    await tick();
  }
}
