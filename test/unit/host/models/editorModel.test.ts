import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../../src/acp/gatehouse/capabilities.ts';
import type { LanguageModelCall, LanguageModelPart } from '../../../../src/acp/gatehouse/client.ts';
import { toRecord } from '../../../../src/base/json.ts';
import { type Connected, connect } from '../harness.ts';

type Answer = (
  call: LanguageModelCall,
  send: (part: LanguageModelPart['part']) => Promise<unknown>,
) => Promise<unknown>;

const MODEL = { id: 'editor-1', name: 'Editor One', vendor: 'acme', contextTokens: 8000 };

/** A host whose client serves one language model. */
async function start(t: TestContext, answer: Answer) {
  const calls: LanguageModelCall[] = [];
  const host: Connected = await connect(t, {
    env: {
      GATEHOUSE_MODEL_BASE_URL: undefined,
      GATEHOUSE_MODEL_ID: 'vscode:editor-1',
    },
    client: {
      capabilities: toExtensions({ languageModels: true }),
      other: async (method, params) => {
        if (method === '_gatehouse/language_models') return { models: [MODEL] };
        if (method !== '_gatehouse/language_model') return {};
        const call = params as LanguageModelCall;
        calls.push(call);
        return answer(call, (part) =>
          host.agent.request('_gatehouse/language_model_part', { callId: call.callId, part }),
        );
      },
    },
  });
  const { sessionId } = await host.agent.request('session/new', {
    cwd: host.workspace,
    mcpServers: [],
  });
  const prompt = () =>
    host.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Hi.' }] });
  const said = () =>
    host.updates
      .flatMap(({ update }) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? [update.content.text]
          : [],
      )
      .join('');
  return { host, sessionId, calls, prompt, said };
}

test('a turn runs on a language model of the editor, with its tools and their results', async (t) => {
  const { calls, prompt, said } = await start(t, async ({ messages }, send) => {
    const results = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'result');
    if (results.length === 0) {
      await send({ type: 'call', id: 'c1', name: 'glob', input: { pattern: '*' } });
      return {};
    }
    await send({ type: 'text', text: 'All ' });
    await send({ type: 'text', text: 'done.' });
    return {};
  });
  assert.equal((await prompt()).stopReason, 'end_turn');
  assert.equal(said(), 'All done.');
  const [first, second] = calls;
  assert.equal(first?.modelId, 'editor-1');
  assert.ok(first?.tools.some(({ name }) => name === 'glob'));
  assert.deepEqual(first?.messages.at(-1), {
    role: 'user',
    parts: [{ type: 'text', text: 'Hi.' }],
  });
  assert.deepEqual(
    second?.messages.slice(-2).map(({ role, parts }) => [role, ...parts.map(({ type }) => type)]),
    [
      ['assistant', 'call'],
      ['user', 'result'],
    ],
  );
});

test('an image of the user reaches a language model of the editor', async (t) => {
  const { host, sessionId, calls } = await start(t, async (_call, send) => {
    await send({ type: 'text', text: 'Seen.' });
    return {};
  });
  const image = { type: 'image' as const, mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  await host.agent.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'Look.' }, image],
  });
  const parts = calls[0]?.messages.at(-1)?.parts ?? [];
  assert.deepEqual(parts.at(-1), { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' });
});

for (const [code, kind] of [
  ['NoPermissions', 'model-refused'],
  ['Blocked', 'quota'],
  ['NotFound', 'model-gone'],
] as const) {
  test(`the editor's refusal ${code} ends the turn with the fault ${kind}`, async (t) => {
    const { prompt } = await start(t, async () => ({ error: { code, message: 'Not this one' } }));
    const error = await prompt().then(
      () => assert.fail(),
      (each: unknown) => each,
    );
    assert.equal(toRecord(toRecord(error)['data'])['kind'], kind);
    assert.match(String(error), /Not this one/);
  });
}

test('the models of the editor are listed first, with their vendor and context window', async (t) => {
  const { host } = await start(t, async () => ({}));
  const listing = toRecord(await host.agent.request('_gatehouse/models', { provider: 'vscode' }));
  assert.deepEqual(listing['providers'], [
    {
      ...{ id: 'vscode', label: 'VS Code', kind: 'editor', state: 'found' },
      models: [
        {
          ...{ ref: 'vscode:editor-1', id: 'editor-1', name: 'Editor One', account: 'acme' },
          ...{ contextTokens: 8000, images: true, tools: true },
        },
      ],
    },
  ]);
});

test('one real request says whether a model of the editor answers', async (t) => {
  let refuses = true;
  const { host } = await start(t, async (_call, send) => {
    if (refuses) return { error: { code: 'NoPermissions', message: 'No' } };
    await send({ type: 'text', text: 'ready' });
    return {};
  });
  const attempt = async () =>
    toRecord(await host.agent.request('_gatehouse/try_model', { ref: 'vscode:editor-1' }));
  assert.deepEqual(
    [(await attempt())['answered'], (await attempt())['kind']],
    [false, 'model-refused'],
  );
  refuses = false;
  assert.deepEqual(await attempt(), { answered: true });
});

test('cancelling the turn cancels the request to the model of the editor', async (t) => {
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<object>();
  const { host, prompt, said, sessionId } = await start(t, async (_call, send) => {
    await send({ type: 'text', text: 'Half' });
    asked.resolve();
    return never.promise;
  });
  const turn = prompt();
  await asked.promise;
  await host.agent.notify('session/cancel', { sessionId });
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal(said(), 'Half');
  const request = host.lines.find(({ message }) => message.method === '_gatehouse/language_model');
  const cancels = host.lines.filter(({ message }) => message.method === '$/cancel_request');
  assert.deepEqual(
    cancels.map(({ from, message }) => [from, toRecord(message.params)['requestId']]),
    [['agent', request?.message.id]],
  );
  never.resolve({});
});
