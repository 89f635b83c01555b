import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import { compatible, llamaCpp, lmStudio } from '../../../../src/agent/providers/compatible.ts';
import { events, json, play, type Seen, serve, summarize } from './loopback.ts';

const FREE = { input: 0, output: 0 };

test('LM Studio: the list has context windows, and no models that embed', async (t) => {
  // https://lmstudio.ai/docs/developer/rest/endpoints
  const data = [
    { id: 'qwen', type: 'llm', max_context_length: 131_072, loaded_context_length: 8192 },
    { id: 'gemma', type: 'vlm', max_context_length: 32_768, capabilities: ['tool_use'] },
    { id: 'nomic', type: 'embeddings', max_context_length: 2048 },
  ];
  const { url } = await serve(t, at('/api/v0/models', { data }));
  assert.deepEqual(await lmStudio.listModels({ baseUrl: `${url}/v1` }), [
    { id: 'qwen', price: FREE, images: false, contextTokens: 8192 },
    { id: 'gemma', price: FREE, images: true, tools: true, contextTokens: 32_768 },
  ]);
});

test('LM Studio: an older version lists its models as OpenAI does', async (t) => {
  const { url } = await serve(t, at('/v1/models', { data: [{ id: 'qwen' }] }));
  const models = await lmStudio.listModels({ baseUrl: `${url}/v1` });
  assert.deepEqual(models, [{ id: 'qwen', price: FREE }]);
});

test('llama.cpp: the context window is the one that the server runs with', async (t) => {
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  const props = { default_generation_settings: { n_ctx: 16_384 }, modalities: { vision: false } };
  const { url } = await serve(t, (seen) =>
    seen.url === '/props' ? json(props) : at('/v1/models', { data: [{ id: 'm.gguf' }] })(seen),
  );
  assert.deepEqual(await llamaCpp.listModels({ baseUrl: `${url}/v1` }), [
    { id: 'm.gguf', price: FREE, contextTokens: 16_384, images: false },
  ]);
});

test('an endpoint may name the context windows of its models', async (t) => {
  const data = [{ id: 'a', max_model_len: 9000 }, { id: 'b', context_length: 0 }, { name: 'c' }];
  const { url, seen } = await serve(t, at('/v1/models', { data }));
  const access = { baseUrl: `${url}/v1`, apiKey: 'key' };
  assert.deepEqual(await compatible.listModels(access), [
    { id: 'a', contextTokens: 9000 },
    { id: 'b' },
  ]);
  assert.equal(seen[0]?.headers['authorization'], 'Bearer key');
});

test('an address without /v1 is a fault with advice, not an empty answer', async (t) => {
  const { url } = await serve(t, at('/v1/models', { data: [] }));
  const model = await compatible.open({ baseUrl: url }, 'm', { contextTokens: 0 });
  const fault = await play(model).catch((error: unknown) => toFault(error, 0));
  assert.match('text' in fault ? fault.text : '', /\(404\).*gatehouse\.model\.baseUrl/);
});

test('no provider follows a redirect, which would send the key elsewhere', async (t) => {
  const other = await serve(t, () => json({ data: [] }));
  const { url } = await serve(t, () => ({
    ...{ status: 307, body: '' },
    headers: { location: other.url },
  }));
  const access = { baseUrl: url, apiKey: 'key' };
  await assert.rejects(compatible.listModels(access));
  const model = await compatible.open(access, 'm', { contextTokens: 0 });
  await assert.rejects(play(model));
  assert.deepEqual(other.seen, []);
});

/** https://lmstudio.ai/docs/developer/openai-compat, and the README of llama.cpp's server: both as OpenAI does. */
const TOOL_STREAM = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Both.' } }] },
  ...['a', 'b'].map((name, index) => ({
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            {
              ...{ index, id: `call_${name}`, type: 'function' },
              function: { name: 'read', arguments: JSON.stringify({ path: name }) },
            },
          ],
        },
      },
    ],
  })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 } },
].map((each) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...each }));

for (const local of [lmStudio, llamaCpp, compatible]) {
  test(`${local.label}: a streamed answer has its text, parallel calls, stop reason and usage`, async (t) => {
    const { url } = await serve(t, () => events(TOOL_STREAM, { done: true }));
    const model = await local.open({ baseUrl: `${url}/v1` }, 'm', { contextTokens: 0 });
    const { text, calls, reason, input, output } = summarize(await play(model));
    assert.deepEqual([text, reason, input, output], ['Both.', 'tool-calls', 70, 9]);
    assert.deepEqual(calls, ['read {"path":"a"}', 'read {"path":"b"}']);
  });

  test(`${local.label}: a request has the documented shape, with image, calls and results, and no key`, async (t) => {
    const { url, seen } = await serve(t, () => events(TOOL_STREAM, { done: true }));
    await play(await local.open({ baseUrl: `${url}/v1` }, 'm', { contextTokens: 0 }));
    const [{ url: path, headers, body } = assert.fail()] = seen;
    assert.equal(path, '/v1/chat/completions');
    assert.equal(headers['authorization'], undefined);
    assert.deepEqual([body['model'], body['stream']], ['m', true]);
    assert.match(JSON.stringify(body['tools']), /"type":"function","function":\{"name":"read"/);
    const messages = JSON.stringify(body['messages']);
    assert.match(messages, /"image_url":\{"url":"data:image\/png;base64,iVBORw0KGgo="/);
    assert.match(messages, /"tool_calls":\[\{"id":"call_a"/);
    assert.match(messages, /"role":"tool","tool_call_id":"call_b","content":"content of b"/);
  });
}

for (const [local, what, status, error, kind] of [
  [lmStudio, 'a model that is gone', 400, { message: 'Model "m" not found.' }, 'model-gone'],
  [
    lmStudio,
    'too much text',
    400,
    { message: 'The number of tokens is greater than the context length.' },
    'context-length',
  ],
  [
    llamaCpp,
    'too much text',
    400,
    {
      message: 'the request exceeds the available context size, try increasing it',
      type: 'exceed_context_size_error',
    },
    'context-length',
  ],
  [llamaCpp, 'a model that is being loaded', 503, { message: 'Loading model' }, 'server-error'],
  [compatible, 'a wrong key', 401, { message: 'Unauthorized' }, 'unauthorized'],
  [compatible, 'a rate limit', 429, { message: 'Slow down' }, 'rate-limited'],
  [compatible, 'an unknown model', 404, { message: 'The model `m` does not exist.' }, 'model-gone'],
] as const) {
  test(`${local.label}: ${what} is the fault ${kind}`, async (t) => {
    const { url } = await serve(t, () => json({ error }, status));
    const model = await local.open({ baseUrl: `${url}/v1` }, 'm', { contextTokens: 0 });
    const fault = await play(model).catch((each: unknown) => toFault(each, 0));
    assert.equal('kind' in fault && fault.kind, kind);
  });
}

function at(path: string, value: unknown) {
  return ({ url }: Seen) =>
    url === path ? json(value) : json({ error: { message: `no route ${url}` } }, 404);
}
