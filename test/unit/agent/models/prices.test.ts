import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findKnown } from '../../../../src/agent/models/knownModels.ts';
import { PRICES } from '../../../../src/agent/models/prices.ts';
import { PROVIDER_IDS } from '../../../../src/agent/models/provider.ts';

const providers = PROVIDER_IDS.filter((id) => PRICES.models[id] !== undefined);

test('the prices have a date that has come and the list of each provider that they are from', () => {
  assert.equal(new Date(PRICES.date).toISOString().slice(0, 10), PRICES.date);
  assert.ok(Date.parse(PRICES.date) <= Date.now());
  for (const id of providers)
    assert.equal(URL.parse(PRICES.lists[id] ?? '')?.protocol, 'https:', id);
});

for (const provider of providers) {
  test(`each known model of ${provider} is listed once, found by its id, and priced in order`, () => {
    const rows = PRICES.models[provider] ?? [];
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    for (const { id, contextTokens = 0, price } of rows) {
      assert.deepEqual(findKnown(provider, id), { contextTokens, ...(price && { price }) });
      assert.ok(contextTokens >= 100_000 && contextTokens <= 2_000_000, id);
      if (price === undefined) continue;
      const { cacheRead = price.input, cacheWrite = price.input, input, output, above } = price;
      assert.ok(0 < cacheRead && cacheRead <= input && input <= cacheWrite && input < output, id);
      // Dollars for a million tokens, not for one or a thousand.
      assert.ok(input >= 0.01 && output <= 200, id);
      assert.ok(above === undefined || (above.input > input && above.output > output), id);
    }
  });
}

test('a model that is not listed has no price, instead of that of a similar one', () => {
  for (const id of ['claude-sonnet-4-99', 'gpt-5-turbo', 'gemini-99-pro', ''])
    for (const provider of providers) assert.deepEqual(findKnown(provider, id), {}, id);
});

test("cached input has the price of the provider's list", () => {
  const { price } = findKnown('anthropic', 'claude-opus-4-1-20250805');
  assert.deepEqual(price, { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 });
  const large = findKnown('openai', 'gpt-5.4').price?.above;
  assert.deepEqual(large, { tokens: 272_000, input: 5, output: 22.5, cacheRead: 0.5 });
});
