import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type LanguageModelParts,
  listLanguageModels,
  runLanguageModel,
} from '../../../../src/extension/models/languageModels.ts';

/** VS Code with these models, and the vendors whose models were asked. */
function createBed(...models: readonly (readonly [vendor: string, id: string])[]) {
  const asked: string[] = [];
  const all = models.map(([vendor, id]) => ({
    ...{ id, vendor, name: id, maxInputTokens: 1 },
    async sendRequest() {
      asked.push(vendor);
      return { stream: (async function* () {})() };
    },
  }));
  const parts = { lm: { selectChatModels: async () => all }, api: {}, justification: '' };
  return { parts: parts as unknown as LanguageModelParts, asked };
}

const { signal } = new AbortController();

function run({ parts }: ReturnType<typeof createBed>, modelId: string) {
  const call = { callId: 'c', modelId, messages: [], tools: [] };
  return runLanguageModel(parts, call, async () => undefined, signal);
}

test('of two vendors with a model of the same id, the one that was chosen is asked and paid', async () => {
  const bed = createBed(['copilot', 'gpt'], ['byok', 'gpt'], ['byok', 'own']);
  const { models } = await listLanguageModels(bed.parts);
  const ids = models.map(({ id }) => id);
  assert.deepEqual(ids, ['copilot/gpt', 'byok/gpt', 'own']);
  for (const id of ids) assert.deepEqual(await run(bed, id), {});
  assert.deepEqual(bed.asked, ['copilot', 'byok', 'byok']);
});

test('an id that another vendor has come to use as well is refused, not sent to either', async () => {
  const bed = createBed(['byok', 'gpt'], ['copilot', 'gpt']);
  assert.equal((await run(bed, 'gpt')).error?.code, 'NotFound');
  assert.deepEqual(bed.asked, []);
});

test('an id with its vendor stays valid when no other vendor has it any more', async () => {
  const bed = createBed(['copilot', 'gpt']);
  assert.deepEqual(await run(bed, 'copilot/gpt'), {});
  assert.deepEqual(bed.asked, ['copilot']);
});
