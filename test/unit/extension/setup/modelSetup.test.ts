import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setApiKey, setModel } from '../../../../src/extension/setup/modelSetup.ts';
import { english } from '../english.ts';

test('setup stores URL and model in settings, and the key only in secret storage', async () => {
  const answers = ['http://127.0.0.1:1/v1/', 'm2', 'k'];
  const { parts, written, stored, requests } = setup(answers, 401);
  await setModel(parts);
  assert.deepEqual(written, { 'model.baseUrl': 'http://127.0.0.1:1/v1/', 'model.id': 'm2' });
  assert.deepEqual(stored, { 'model/openai-compatible': 'k' });
  assert.deepEqual(requests, [
    'http://127.0.0.1:1/v1/models null',
    'http://127.0.0.1:1/v1/models Bearer k',
  ]);
});

test('a model id of the endpoint is listed as written, without icons, and stored unchanged', async () => {
  const answers = ['http://127.0.0.1:1/v1/', 'a $(trash)'];
  const { parts, written, listed } = setup(answers, 200, ['m1', 'a $(trash)']);
  await setModel(parts);
  assert.deepEqual(listed, ['m1', 'a $\u200b(trash)', 'Enter Model ID…']);
  assert.equal(written['model.id'], 'a $(trash)');
});

test('leaving setup halfway changes no setting', async () => {
  const { parts, written } = setup(['http://127.0.0.1:1/v1', undefined]);
  await setModel(parts);
  assert.deepEqual(written, {});
});

test('a rejected key is reported', async () => {
  const { parts, warnings } = setup(['wrong'], 401);
  await setApiKey(parts);
  assert.match(warnings.join(), /401/);
});

function setup(answers: (string | undefined)[], status = 200, models = ['m1', 'm2']) {
  const written: Record<string, string> = {};
  const stored: Record<string, string> = {};
  const requests: string[] = [];
  const warnings: string[] = [];
  const listed: string[] = [];
  const next = async () => answers.shift();
  const parts = {
    window: {
      showInputBox: next,
      showQuickPick: async (rows: readonly { label: string; id: string | undefined }[]) => {
        listed.push(...rows.map(({ label }) => label));
        const chosen = await next();
        return rows.find(({ id }) => id === chosen);
      },
      showInformationMessage: async () => undefined,
      showWarningMessage: async (message: string) => void warnings.push(message),
    } as never,
    secrets: {
      get: async (id: string) => stored[id],
      set: async (id: string, value: string) => {
        stored[id] = value;
      },
      clear: async () => undefined,
    },
    fetch: async (url: unknown, init?: RequestInit) => {
      requests.push(`${url} ${new Headers(init?.headers).get('authorization')}`);
      return Response.json({ data: models.map((id) => ({ id })) }, { status });
    },
    t: english,
    read: () => 'http://127.0.0.1:1/v1',
    write: async (values: Readonly<Record<string, string>>) => {
      Object.assign(written, values);
    },
  };
  return { parts, written, stored, requests, warnings, listed };
}
