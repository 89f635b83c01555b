import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOrdinaryLines, measurePromptRates } from '../../../bench/promptRates.ts';

const measured = await measurePromptRates();

test('the list has 400 different lines, a third of which must ask', () => {
  const lines = loadOrdinaryLines();
  const guarded = lines.filter(({ allowed }) => !allowed).length;
  assert.equal(new Set(lines.map(({ text }) => text)).size, lines.length);
  assert.ok(lines.length >= 400, `${lines.length} lines`);
  assert.ok(guarded >= lines.length / 3, `${guarded} lines must ask`);
});

for (const { half, wrongAllows, needlessAsks, ordinary } of measured) {
  test(`the shipped rules allow no line of the ${half} half that must ask`, () => {
    assert.deepEqual(wrongAllows, []);
  });
  test(`the shipped rules ask needlessly about at most 8 % of the ${half} half`, () => {
    assert.ok(needlessAsks.length <= 0.08 * ordinary, `${needlessAsks.length} of ${ordinary}`);
  });
}
