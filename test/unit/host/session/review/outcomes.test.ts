import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Chunk } from '../../../../../src/base/stream/chunk.ts';
import { ReviewOutcomes } from '../../../../../src/host/session/review/reviewOutcomes.ts';
import { BusyError } from '../../../../../src/recorder/file/faults.ts';
import { openTurn } from '../../../recorder/openRecorder.ts';

const REVIEW = { id: 'rev_1', text: 'They rejected a.ts.', display: {} } as const;

test('an outcome that meets a locked history stays whole, and joins the turn once it is free', (context) => {
  const { outcomes, turn, lock, parts } = begin(context);
  const unlock = lock();
  const recorded: Chunk[] = [];
  assert.throws(() => outcomes.take((chunk) => recorded.push(chunk)), BusyError);
  // Nothing of it may be in the turn, or the model is told twice.
  assert.deepEqual(recorded, []);
  unlock();
  const [chunk] = outcomes.take((each) => turn.record(each));
  assert.deepEqual(chunk?.type === 'data-review' && chunk.data, REVIEW);
  assert.deepEqual(parts(), ['data-review']);
  assert.deepEqual(
    outcomes.take(() => assert.fail()),
    [],
  );
});

test('an outcome leaves its table in the transaction that stores it with the turn', (context) => {
  const { outcomes, turn, stored, parts, recorder, sessionId } = begin(context);
  outcomes.take((chunk) => {
    turn.record(chunk);
    // A host that is killed here has told nobody, and keeps it.
    assert.deepEqual([stored(), parts()], [1, []]);
  });
  assert.deepEqual([stored(), parts()], [0, ['data-review']]);
  recorder.addOutcome(sessionId, { ...REVIEW, id: 'rev_2' });
  const full = new Error('database or disk is full');
  const fall = () => {
    throw full;
  };
  assert.throws(() => outcomes.take(fall), full);
  assert.deepEqual([stored(), parts()], [1, ['data-review']]);
});

/** A running turn of a session with one outcome, and another window that sees what is committed. */
function begin(context: TestContext) {
  const opened = openTurn(context);
  const { recorder, sessionId, second } = opened;
  const client = { facts: {}, update: assert.fail };
  const services = { client, recorder, warn: assert.fail };
  recorder.addOutcome(sessionId, REVIEW);
  const window = second();
  return {
    ...opened,
    outcomes: new ReviewOutcomes(Object.assign(Object.create(null), services), sessionId),
    stored: () => window.outcomes(sessionId).length,
    parts: () =>
      window.messages(sessionId).flatMap((message) => message.parts.map(({ type }) => type)),
  };
}
