import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setModel } from '../../../../src/extension/setup/modelSetup.ts';
import { toStartOffers } from '../../../../src/extension/setup/startOffers.ts';
import { english } from '../english.ts';
import { ALL, ANTHROPIC, CLAUDE, createBed, ENDPOINT } from './modelBed.ts';

test('what was found is one pick away, and is used after it has answered a real request', async () => {
  const bed = createBed(['GPT']);
  await setModel(bed.parts);
  assert.deepEqual(bed.tried, [{ ref: 'vscode:gpt' }]);
  assert.deepEqual(bed.written, [
    { 'model.provider': 'vscode', 'model.id': 'gpt', 'model.baseUrl': '' },
  ]);
  assert.match(bed.infos[0] ?? '', /^GPT answered\..*Your GitHub Copilot account pays for it\.$/);
  assert.deepEqual(bed.recent, ['vscode:gpt']);
});

test('the list is grouped by provider, the models used last first, with context and price or "unknown"', async () => {
  const bed = createBed([undefined], { recent: ['ollama:qwen'] });
  await setModel(bed.parts);
  assert.deepEqual(bed.listed, [
    '— recently used',
    'qwen: Ollama · context unknown · free',
    '— VS Code · copilot',
    'GPT: 64,000 tokens · price unknown',
    '— Ollama · on this machine',
    'qwen: context unknown · free',
    'talk: context unknown · price unknown',
    '— set up',
    'LM Studio…: not running',
    'Anthropic…: needs an API key',
    'OpenAI-Compatible Endpoint…: ',
  ]);
  assert.deepEqual([bed.written, bed.tried], [[], []]);
});

test('a provider is set up by its key and one of its models; the key is only in secret storage', async () => {
  const bed = createBed(['Anthropic…', 'k', 'Claude'], {
    later: { ...ANTHROPIC, models: [CLAUDE] },
  });
  await setModel(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/anthropic': 'k' });
  assert.equal(bed.written[0]?.['model.provider'], 'anthropic');
  assert.match(bed.infos[0] ?? '', /^Claude answered\..*Anthropic bills it/);
});

test('no model is used without an answer, with /v1 or without', async () => {
  const bed = createBed(['OpenAI-Compatible Endpoint…', 'http://127.0.0.1:1', '', 'm'], {
    later: ENDPOINT,
    answer: { answered: false, kind: 'other', problem: 'The endpoint rejected it (404).' },
  });
  await setModel(bed.parts);
  assert.deepEqual(bed.tried, [
    { ref: 'm', baseUrl: 'http://127.0.0.1:1' },
    { ref: 'm', baseUrl: 'http://127.0.0.1:1/v1' },
  ]);
  assert.deepEqual([bed.written, bed.infos], [[], []]);
  assert.match(bed.warnings[0] ?? '', /m did not answer\. .*\(404\)\. No setting was changed\./);
});

test('/v1 is added to an address where only that answers, and the message says so', async () => {
  const bed = createBed(['OpenAI-Compatible Endpoint…', 'http://127.0.0.1:1/', '', 'm'], {
    later: ENDPOINT,
    answer: (at) => ({ answered: at === 'http://127.0.0.1:1/v1' }),
  });
  await setModel(bed.parts);
  assert.equal(bed.written[0]?.['model.baseUrl'], 'http://127.0.0.1:1/v1');
  assert.match(bed.infos[0] ?? '', /\/v1 was added to the address: http:\/\/127\.0\.0\.1:1\/v1/);
});

test('/v1 is added where only that lists models', async () => {
  const models = [{ ref: 'm', id: 'm' }];
  const bed = createBed(['OpenAI-Compatible Endpoint…', 'http://127.0.0.1:1', '', 'm'], {
    later: (at) =>
      at === 'http://127.0.0.1:1/v1'
        ? { ...ENDPOINT, state: 'found', models }
        : { ...ENDPOINT, state: 'failed', problem: 'Not found (404).' },
  });
  await setModel(bed.parts);
  assert.deepEqual(bed.tried, [{ ref: 'm', baseUrl: 'http://127.0.0.1:1/v1' }]);
  assert.deepEqual(bed.warnings, []);
});

test('nothing is added to an address with a version', async () => {
  const bed = createBed(['OpenAI-Compatible Endpoint…', 'http://127.0.0.1:1/api/v3', '', 'm'], {
    later: ENDPOINT,
    answer: { answered: false, problem: 'No.' },
  });
  await setModel(bed.parts);
  assert.equal(bed.tried.length, 1);
});

test('a refusal names the next model that can call tools, one click away', async () => {
  const bed = createBed(['GPT', 'Use qwen'], {
    answer: (_at, ref) => ({ answered: ref === 'ollama:qwen', problem: 'Not allowed.' }),
  });
  await setModel(bed.parts);
  assert.deepEqual(bed.buttons, [['Use qwen', 'Choose Another Model…']]);
  assert.deepEqual(bed.tried, [{ ref: 'vscode:gpt' }, { ref: 'ollama:qwen' }]);
  assert.equal(bed.written[0]?.['model.id'], 'qwen');
});

test('an endpoint that answers is stored with its address', async () => {
  const bed = createBed(['OpenAI-Compatible Endpoint…', 'http://127.0.0.1:1/v1', '', 'm'], {
    later: ENDPOINT,
  });
  await setModel(bed.parts);
  const values = { 'model.provider': 'openai-compatible', 'model.id': 'm' };
  assert.deepEqual(bed.written, [{ ...values, 'model.baseUrl': 'http://127.0.0.1:1/v1' }]);
});

test('a refused model is said, and another one is offered', async () => {
  const bed = createBed(['GPT', 'Choose Another Model…', undefined], {
    answer: { answered: false, kind: 'model-refused', problem: 'Not allowed.' },
  });
  await setModel(bed.parts);
  assert.match(bed.warnings[0] ?? '', /GPT did not answer\. Not allowed\./);
  assert.equal(bed.listed.filter((row) => row.startsWith('GPT')).length, 2, 'the list again');
});

test('an empty chat offers what can call tools, with context and price', () => {
  const offers = toStartOffers({ pricesFrom: '', providers: ALL }, english);
  assert.deepEqual(offers, [
    { ref: 'vscode:gpt', label: 'Use GPT', detail: 'copilot · 64,000 tokens · price unknown' },
    { ref: 'ollama:qwen', label: 'Use qwen', detail: 'Ollama · context unknown · free' },
  ]);
});

test('spaces around what is typed are no part of an address, a key or a model', async () => {
  const answers = ['OpenAI-Compatible Endpoint…', ' http://127.0.0.1:1/v1 ', ' k\t', ' m '];
  const bed = createBed(answers, { later: ENDPOINT });
  await setModel(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/openai-compatible': 'k' });
  assert.deepEqual(bed.tried, [{ ref: 'm', baseUrl: 'http://127.0.0.1:1/v1' }]);
});
