import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { isToolPart } from '../../../src/base/stream/stored.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { sizeOf } from '../../workbench/sizes.ts';
import { type Journal, killWriters, runAndKill } from './durability.ts';

/** With the hosts of `host/killedHosts.test.ts`, 60 kills in all. */
const KILLS = sizeOf(26, 500);

check('wal');
check('delete');

/** 1,000 kills: `npm run test:durability`. */
function check(journal: Journal) {
  test(`${KILLS} kills of a writing process lose no acknowledged row (journal ${journal})`, async () => {
    const report = await killWriters(KILLS, journal);
    assert.deepEqual(report.faults, []);
    assert.equal(report.acknowledged > 200, true);
  });
}

test("VC-88: a killed process's claim is released at once, and its open call becomes an error", async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-killed-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'gatehouse.db');
  // The second line of a round is the call that has begun and not ended.
  await runAndKill(file, 'wal', 2);

  const recorder = openRecorder(file);
  context.after(() => recorder.close());
  const [session] = recorder.listSessions({ limit: 1 }).sessions;
  assert.ok(session);
  recorder.closeOrphans(session.id);
  assert.equal(recorder.openTurn(session.id).ok, true);
  const states = recorder
    .messages(session.id)
    .flatMap(({ parts }) => parts.filter(isToolPart).map(({ state }) => state));
  assert.equal(states.length > 0, true);
  assert.equal(states.includes('input-available'), false);
});
