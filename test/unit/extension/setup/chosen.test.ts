import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setApiKey } from '../../../../src/extension/setup/apiKeys.ts';
import { setModel } from '../../../../src/extension/setup/modelSetup.ts';
import { ANTHROPIC, CLAUDE, createBed, ENDPOINT } from './modelBed.ts';

const KEYED = { ...ANTHROPIC, models: [CLAUDE] };

test('whoever asked for a model is told as soon as it is chosen, before it has answered', async () => {
  const bed = createBed(['GPT']);
  const tried: number[] = [];
  await setModel({ ...bed.parts, chosen: () => tried.push(bed.tried.length) });
  assert.deepEqual([tried, bed.tried.length], [[0], 1]);
});

test('whoever asked for a key is told as soon as it is given, before it is checked', async () => {
  const bed = createBed(['Anthropic', 'k'], { all: [KEYED, ENDPOINT], later: KEYED });
  const stored: (string | undefined)[] = [];
  const chosen = () => stored.push(bed.secrets['model/anthropic']);
  await setApiKey({ ...bed.parts, chosen });
  assert.deepEqual([stored, bed.secrets], [[undefined], { 'model/anthropic': 'k' }]);
});

test('nobody is told when Escape closes the pick or the box', async () => {
  const chosen = () => assert.fail('nothing was chosen');
  await setModel({ ...createBed([undefined]).parts, chosen });
  const bed = createBed(['Anthropic', undefined], { all: [KEYED, ENDPOINT], later: KEYED });
  await setApiKey({ ...bed.parts, chosen });
  assert.deepEqual(bed.secrets, {});
});
