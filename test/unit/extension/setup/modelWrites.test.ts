import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelValues } from '../../../../src/extension/setup/modelSetup.ts';
import { toWrites } from '../../../../src/extension/setup/modelWrites.ts';

function values(provider: string, id: string, baseUrl: string): ModelValues {
  return { 'model.provider': provider, 'model.id': id, 'model.baseUrl': baseUrl };
}

/** Every state that the settings have meanwhile, as provider and address. */
function walk(from: ModelValues, to: ModelValues): readonly string[] {
  const now: Record<keyof ModelValues, string> = { ...from };
  const states = toWrites(to, (key) => now[key]).map(([key, value]) => {
    now[key] = value;
    return `${now['model.provider']} at "${now['model.baseUrl']}"`;
  });
  assert.deepEqual(now, to);
  return states;
}

test('at no moment does a provider have the address of another one', () => {
  const cloud = values('anthropic', 'claude', 'https://proxy.example');
  const local = values('lmstudio', 'qwen', 'http://127.0.0.1:1234/v1');
  const meanwhile = [...walk(cloud, local), ...walk(local, cloud)];
  const allowed = new Set([
    ...['anthropic at ""', 'anthropic at "https://proxy.example"'],
    ...['lmstudio at ""', 'lmstudio at "http://127.0.0.1:1234/v1"'],
  ]);
  assert.deepEqual(
    meanwhile.filter((each) => !allowed.has(each)),
    [],
  );
});

test('no setting is written more often than that needs', () => {
  const one = values('ollama', 'a', '');
  assert.equal(toWrites(values('anthropic', 'b', ''), (key) => one[key]).length, 3);
  assert.equal(toWrites(values('ollama', 'b', 'http://h'), (key) => one[key]).length, 3);
});
