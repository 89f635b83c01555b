import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOf } from '../../workbench/sizes.ts';
import { killHosts } from './killedHosts.ts';

/** DU-018. `npm run test:durability` has the long form. */
const KILLS = sizeOf(8, 1000);

test(`${KILLS} kills of a host in its turns lose no finished part, file or answer, and run no command twice`, async (t) => {
  const report = await killHosts(t, KILLS, 1605);
  assert.deepEqual(report.faults, []);
  // Kills came at every point: some turns ended before, some did not.
  assert.equal(report.calls > 0 && report.ended < KILLS, true, JSON.stringify(report));
});
