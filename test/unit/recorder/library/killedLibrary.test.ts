import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOf } from '../../../workbench/sizes.ts';
import { killLibrary } from './killedLibrary.ts';

/** `npm run test:durability` has the long form. */
const KILLS = sizeOf(10, 200);

test(`${KILLS} kills within rewinds, forks, imports and deletions leave whole sessions and lose none`, async () => {
  const { within, faults } = await killLibrary(KILLS, 1616);
  assert.deepEqual(faults, []);
  const kinds = KILLS > 100 ? ['delete', 'fork', 'import'] : [];
  assert.ok(Object.keys(within).length > 0, 'some kills came within the work');
  assert.deepEqual(
    kinds.filter((kind) => !((within[kind] ?? 0) > 0)),
    [],
    JSON.stringify(within),
  );
});
