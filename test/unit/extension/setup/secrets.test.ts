import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '../../../../src/extension/setup/secrets.ts';

test('the host can only read secrets of known kinds', async () => {
  const stored = new Map([
    ['gatehouse/model/openai-compatible', 'key'],
    ['gatehouse/x', 'other'],
  ]);
  const secrets = createSecrets({
    get: async (id) => stored.get(id),
    store: async (id, value) => void stored.set(id, value),
    delete: async (id) => void stored.delete(id),
  });
  assert.equal(await secrets.get('model/openai-compatible'), 'key');
  for (const id of ['x', '../x', 'model/', 'model/a b'])
    assert.equal(await secrets.get(id), undefined);
});
