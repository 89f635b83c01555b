import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ListedProvider,
  ModelListing,
  ModelsQuery,
} from '../../../../src/acp/gatehouse/configure.ts';
import { setApiKey, signOut } from '../../../../src/extension/setup/apiKeys.ts';
import { type ModelSetupParts, setModel } from '../../../../src/extension/setup/modelSetup.ts';
import { toStartOffers } from '../../../../src/extension/setup/startOffers.ts';
import { english } from '../english.ts';

const VSCODE: ListedProvider = {
  ...{ id: 'vscode', label: 'VS Code', kind: 'editor', state: 'found' },
  models: [
    {
      ...{ ref: 'vscode:gpt', id: 'gpt', name: 'GPT', contextTokens: 64_000 },
      account: 'copilot',
    },
  ],
};
const OLLAMA: ListedProvider = {
  ...{ id: 'ollama', label: 'Ollama', kind: 'local', state: 'found' },
  baseUrl: 'http://127.0.0.1:11434',
  models: [
    { ref: 'ollama:qwen', id: 'qwen', price: { input: 0, output: 0 } },
    { ref: 'ollama:talk', id: 'talk', tools: false },
  ],
};
const LMSTUDIO: ListedProvider = {
  ...{ id: 'lmstudio', label: 'LM Studio', kind: 'local', state: 'absent', models: [] },
};
const ANTHROPIC: ListedProvider = {
  ...{ id: 'anthropic', label: 'Anthropic', kind: 'cloud', state: 'key', models: [] },
  keyId: 'model/anthropic',
};
const CLAUDE = {
  ...{ ref: 'anthropic:claude', id: 'claude', name: 'Claude', contextTokens: 200_000 },
  price: { input: 3, output: 15 },
};
const ENDPOINT: ListedProvider = {
  ...{ id: 'openai-compatible', label: 'OpenAI-Compatible Endpoint', kind: 'endpoint' },
  ...{ state: 'absent', keyId: 'model/openai-compatible', models: [] },
};
const ALL = [VSCODE, OLLAMA, LMSTUDIO, ANTHROPIC, ENDPOINT];

test('what was found is one pick away, and is used after it has answered a real request', async () => {
  const bed = createBed(['GPT']);
  await setModel(bed.parts);
  assert.deepEqual(bed.tried, [{ ref: 'vscode:gpt' }]);
  assert.deepEqual(bed.written, [
    { 'model.provider': 'vscode', 'model.id': 'gpt', 'model.baseUrl': '' },
  ]);
  assert.match(bed.infos[0] ?? '', /^GPT answered\..*your account of copilot\.$/);
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

test('a refused model is said, and another one is offered', async () => {
  const bed = createBed(['GPT', 'Choose Another Model…', undefined], {
    answer: { answered: false, kind: 'model-refused', problem: 'Not allowed.' },
  });
  await setModel(bed.parts);
  assert.match(bed.warnings[0] ?? '', /GPT did not answer\. Not allowed\./);
  assert.equal(bed.listed.filter((row) => row.startsWith('GPT')).length, 2, 'the list again');
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

test('an empty chat offers what can call tools, with context and price', () => {
  const offers = toStartOffers({ pricesFrom: '', providers: ALL }, english);
  assert.deepEqual(offers, [
    { ref: 'vscode:gpt', label: 'Use GPT', detail: 'copilot · 64,000 tokens · price unknown' },
    { ref: 'ollama:qwen', label: 'Use qwen', detail: 'Ollama · context unknown · free' },
  ]);
});

type Tried = Awaited<ReturnType<ModelSetupParts['tryModel']>>;

interface Setting {
  readonly all?: readonly ListedProvider[];
  /** What a provider that is set up lists then. */
  readonly later?: ListedProvider | ((baseUrl: string | undefined) => ListedProvider);
  readonly answer?: Tried | ((baseUrl: string | undefined, ref: string) => Tried);
  readonly recent?: string[];
  readonly secrets?: Record<string, string>;
}

function createBed(answers: (string | undefined)[], setting: Setting = {}) {
  const { all = ALL, later, answer = { answered: true }, recent = [], secrets = {} } = setting;
  const bed = {
    written: [] as Parameters<ModelSetupParts['write']>[0][],
    tried: [] as unknown[],
    buttons: [] as (readonly string[])[],
    ...{ listed: [] as string[], infos: [] as string[], warnings: [] as string[] },
    ...{ recent, secrets },
  };
  const parts = {
    window: {
      showInputBox: async () => answers.shift(),
      showQuickPick: async (
        rows: readonly { label: string; description?: string; kind?: number }[],
      ) => {
        for (const { label, description = '', kind } of rows)
          bed.listed.push(kind === -1 ? `— ${label}` : `${label}: ${description}`);
        const chosen = answers.shift();
        return rows.find(({ label, kind }) => kind !== -1 && label === chosen);
      },
      showInformationMessage: async (text: string) => void bed.infos.push(text),
      showWarningMessage: async (text: string, ...buttons: string[]) => {
        bed.warnings.push(text);
        if (buttons.length > 0) bed.buttons.push(buttons);
        return buttons.length > 0 ? answers.shift() : undefined;
      },
    } as never,
    secrets: {
      get: async (id: string) => secrets[id],
      set: async (id: string, value: string) => {
        secrets[id] = value;
      },
      clear: async (id: string) => {
        delete secrets[id];
      },
    } as never,
    t: english,
    progress: (_title: string, work: () => Promise<never>) => work(),
    models: async ({ provider, baseUrl }: ModelsQuery): Promise<ModelListing> => {
      const one = typeof later === 'function' ? later(baseUrl) : later;
      const providers = provider === undefined ? all : [one ?? assert.fail()];
      return { pricesFrom: '2026-01-01', providers };
    },
    tryModel: async (query: Parameters<ModelSetupParts['tryModel']>[0]) => {
      bed.tried.push(query);
      return typeof answer === 'function' ? answer(query.baseUrl, query.ref) : answer;
    },
    read: () => '',
    write: async (values: Parameters<ModelSetupParts['write']>[0]) => void bed.written.push(values),
    recent: { get: () => recent, add: (ref: string) => void recent.unshift(ref) },
  };
  return { ...bed, parts: parts as ModelSetupParts };
}
