import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '../../fuzz/differential.ts';
import { bashParses, runLines } from '../../fuzz/groundTruth.ts';
import { sizeOf } from '../../workbench/sizes.ts';

const SEED = 20_251_121;
const LINES = sizeOf(1_000, 3_000);

test(`real bash starts no program that one of ${LINES} allowed lines did not name`, async () => {
  const result = await fuzz(LINES, SEED);
  assert.deepEqual(result.misses, []);
  // A grammar that is never allowed, or starts nothing, would prove nothing.
  assert.ok(result.allowed > LINES / 5, `only ${result.allowed} lines were allowed`);
  assert.ok(result.started > LINES / 5, `only ${result.started} programs started`);
});

test('the ground truth sees what a line starts, in the parts and in the background', () => {
  const lines = ['git a | rm b', 'if false; then curl; fi', 'ls & wait', 'npm "$(p1)"', 'echo rm'];
  const { started } = runLines(lines);
  assert.deepEqual(
    started.map((names) => [...names].sort()),
    [['git', 'rm'], [], ['ls'], ['npm', 'p1'], []],
  );
});

test('bash has the last word on what is a line', () => {
  assert.deepEqual(['ls', 'ls )', "'"].map(bashParses), [true, false, false]);
});
