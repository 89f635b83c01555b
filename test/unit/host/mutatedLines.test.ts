import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOf } from '../../workbench/sizes.ts';
import { sendMutatedLines } from './mutatedLines.ts';

/** `npm run test:day` has the long form. */
const LINES = sizeOf(3_000, 1_000_000);
const MB = 1024 * 1024;

test(`${LINES} mutated lines: the host answers between them, keeps its memory, and ends well`, async (t) => {
  const { early, late, most, exit } = await sendMutatedLines(t, LINES, 1618);
  assert.equal(exit, 0);
  const sizes = [early, late, most].map((bytes) => `${Math.round(bytes / MB)} MB`).join(', ');
  assert.ok(most < 300 * MB, sizes);
  // With every session closed, nothing of the lines is left.
  assert.ok(late - early < 64 * MB, sizes);
  t.diagnostic(`after a tenth, at the end, at most: ${sizes}`);
});
