import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { connect, newSession, prompt, said } from './harness.ts';

/** How often a locked history is tried again, in milliseconds. */
const RETRY_MS = 50;

test('a prompt refused as busy leaves no row, and the same prompt is answered once the history is free', async (t) => {
  const clock = createManualClock();
  const host = await connect(t, { clock, script: [{ text: 'Answered.' }] });
  const sessionId = await newSession(host);
  const file = path.join(host.data, 'state', 'gatehouse.db');
  const other = openDatabase(file, () => 0);
  t.after(() => other.close());
  const rows = () => Number(other.get('SELECT count(*) AS count FROM chat_messages')?.['count']);
  assert.equal(rows(), 0);
  other.get('BEGIN IMMEDIATE');
  let refused: unknown;
  void prompt(host, sessionId).catch((error: unknown) => {
    refused = error;
  });
  while (refused === undefined) {
    await setImmediate();
    clock.advance(RETRY_MS);
  }
  other.get('COMMIT');
  assert.match(String(refused), /is locked by another program\. Nothing was lost; try again/);
  assert.deepEqual(Object(refused).data, { kind: 'busy', retryable: true });
  assert.equal(rows(), 0);
  assert.deepEqual(await prompt(host, sessionId), { stopReason: 'end_turn' });
  assert.equal(said(host), 'Answered.');
  assert.ok(rows() > 0);
});
