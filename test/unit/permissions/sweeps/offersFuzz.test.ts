import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzOffers } from '../../../fuzz/offers.ts';
import { sizeOf } from '../../../workbench/sizes.ts';

test('what is offered passes, and reads the same files but for the denied ones', async () => {
  const { lines, offered, misses } = await fuzzOffers(sizeOf(50, 160), 20_261_123);
  assert.deepEqual(misses, []);
  assert.ok(offered > lines / 20, `only ${offered} of ${lines} were offered another`);
});
