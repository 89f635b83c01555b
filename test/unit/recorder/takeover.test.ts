import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALL, openTurn } from './openRecorder.ts';

test('a writer that was stopped does not write after another host took its session over', (context) => {
  const { turn, sessionId, reopen, clock } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  // Stopped, as by SIGSTOP: no heartbeat for a minute.
  const next = reopen();
  const taken = next.openTurn(sessionId, { agent: 'gatehouse' });
  assert.ok(taken.ok);
  taken.data.record(
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'New.' },
  );
  taken.data.flush();
  const before = next.exportJsonl(sessionId);

  const late = { type: 'tool-output-error', toolCallId: 'c1', errorText: 'late' } as const;
  assert.throws(() => turn.record(late), /Another window has continued this session/);
  clock.advance(1_000);
  turn.close();
  assert.equal(next.exportJsonl(sessionId), before);

  taken.data.close();
  assert.equal(next.isWritten(sessionId), false, 'the late close released nothing of the other');
});

test('a writer that was stopped does not write after the other host has finished, either', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  turn.record({ type: 'start-step' });
  const next = reopen();
  const taken = next.openTurn(sessionId, { agent: 'gatehouse' });
  assert.ok(taken.ok);
  taken.data.record({ type: 'finish', finishReason: 'stop' });
  taken.data.close();
  const before = next.exportJsonl(sessionId);
  assert.throws(() => turn.record({ type: 'finish', finishReason: 'stop' }), /Another window/);
  turn.close();
  assert.equal(next.exportJsonl(sessionId), before);
});

test('a session whose claim could not be released can run its next turn', (context) => {
  const { turn, sessionId, recorder, lock } = openTurn(context);
  turn.record({ type: 'finish', finishReason: 'stop' });
  const unlock = lock();
  try {
    turn.close();
  } catch {
    // It is told elsewhere that the store is locked.
  }
  unlock();
  assert.equal(recorder.openTurn(sessionId, { agent: 'gatehouse' }).ok, true);
});
