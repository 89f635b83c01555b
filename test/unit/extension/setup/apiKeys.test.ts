import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setApiKey, signOut } from '../../../../src/extension/setup/apiKeys.ts';
import { setModel } from '../../../../src/extension/setup/modelSetup.ts';
import { ANTHROPIC, CLAUDE, createBed, ENDPOINT } from './modelBed.ts';

test('a key that is refused does not replace the one before', async () => {
  const refused = { ...ANTHROPIC, state: 'failed', problem: 'Rejected (401).' } as const;
  const bed = createBed(['Anthropic…', 'wrong'], {
    later: refused,
    secrets: { 'model/anthropic': 'right' },
  });
  await setModel(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/anthropic': 'right' });
  assert.match(bed.warnings[0] ?? '', /401/);
});

test('a key is stored and checked, and signing out removes it', async () => {
  const keyed = { ...ANTHROPIC, keyFrom: 'stored', state: 'found' } as const;
  const bed = createBed(['Anthropic', 'k', 'Anthropic'], { all: [keyed, ENDPOINT], later: keyed });
  await setApiKey(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/anthropic': 'k' });
  assert.match(bed.infos[0] ?? '', /API key saved/);
  await signOut(bed.parts);
  assert.deepEqual(bed.secrets, {});
});

test('the key of a model that failed is asked for without choosing its provider', async () => {
  const keyed = { ...ANTHROPIC, keyFrom: 'stored', state: 'found' } as const;
  for (const [ref, id] of [
    ['anthropic:claude', 'model/anthropic'],
    ['a:model', 'model/openai-compatible'],
  ] as const) {
    const bed = createBed(['k'], { all: [keyed, ENDPOINT], later: keyed });
    await setApiKey(bed.parts, ref);
    assert.deepEqual(bed.secrets, { [id]: 'k' });
  }
});

test('a key that leads to no model does not replace the one before', async () => {
  const later = { ...ANTHROPIC, models: [CLAUDE] };
  const secrets = { 'model/anthropic': 'right' };
  const left = createBed(['Anthropic…', 'new', undefined], { later, secrets: { ...secrets } });
  await setModel(left.parts);
  assert.deepEqual(left.secrets, secrets);
  const failed = createBed(['Anthropic…', 'new'], {
    later: () => {
      throw new Error('The host exited.');
    },
    secrets: { ...secrets },
  });
  await assert.rejects(setModel(failed.parts), /The host exited/);
  assert.deepEqual(failed.secrets, secrets);
});

const KEY = 'model/openai-compatible';
const SET = { 'model.provider': 'openai-compatible', 'model.baseUrl': 'https://one.example/v1' };
const ADDRESSES = [
  ['https://one.example/v2', true],
  ['https://two.example/v1', false],
  ['http://one.example/v1', false],
] as const;

for (const [address, isSent] of ADDRESSES) {
  test(`the key of https://one.example/v1 is ${isSent ? '' : 'not '}sent to ${address}`, async () => {
    const secrets = { [KEY]: 'k' };
    const seen: (string | undefined)[] = [];
    const bed = createBed(['OpenAI-Compatible Endpoint…', address, '', 'm'], {
      later: () => {
        seen.push(secrets[KEY]);
        return ENDPOINT;
      },
      ...{ secrets, settings: SET },
    });
    await setModel(bed.parts);
    assert.deepEqual(seen, [isSent ? 'k' : undefined]);
    assert.equal(bed.written.length, 1);
    assert.deepEqual(secrets, isSent ? { [KEY]: 'k' } : {});
  });
}

test('an endpoint that does not answer leaves the key of the one that is set', async () => {
  for (const key of ['', 'new']) {
    const secrets = { [KEY]: 'k' };
    const bed = createBed(['OpenAI-Compatible Endpoint…', 'https://two.example/v1', key, 'm'], {
      later: ENDPOINT,
      answer: { answered: false, problem: 'No.' },
      ...{ secrets, settings: SET },
    });
    await setModel(bed.parts);
    assert.deepEqual([secrets, bed.written], [{ [KEY]: 'k' }, []]);
  }
});

test('a host or a setting that fails leaves the key of the endpoint that is set', async () => {
  const answers = ['OpenAI-Compatible Endpoint…', 'https://two.example/v1', 'new', 'm'];
  const fail = () => Promise.reject(new Error('It failed.'));
  for (const failing of [{ tryModel: fail }, { write: fail }]) {
    const secrets = { [KEY]: 'k' };
    const bed = createBed([...answers], { later: ENDPOINT, secrets, settings: SET });
    await assert.rejects(setModel({ ...bed.parts, ...failing }), /It failed/);
    assert.deepEqual(secrets, { [KEY]: 'k' });
  }
});

test('a key that is stored and then refused is said to be stored', async () => {
  const keyed = { ...ANTHROPIC, keyFrom: 'stored', state: 'found' } as const;
  const bed = createBed(['k'], {
    all: [keyed],
    later: { ...keyed, problem: 'Anthropic refused the key (401).' },
  });
  await setApiKey(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/anthropic': 'k' });
  assert.deepEqual(bed.warnings, ['The API key was saved. Anthropic refused the key (401).']);
});

test('signing out removes no key before the user has chosen it', async () => {
  const keyed = { ...ANTHROPIC, keyFrom: 'stored', state: 'found' } as const;
  const bed = createBed([undefined], { all: [keyed], secrets: { 'model/anthropic': 'k' } });
  await signOut(bed.parts);
  assert.deepEqual(bed.secrets, { 'model/anthropic': 'k' });
});
