import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import { openRouter } from '../../../../src/agent/providers/openRouter.ts';
import { type Answer, CALL, events, json, play, serve, summarize } from './loopback.ts';

const DETAIL = { type: 'reasoning.text', text: 'Let me see.', signature: 'EqQB', index: 0 };

// https://openrouter.ai/docs/api-reference/streaming
const STREAM = [
  { role: 'assistant', content: '', reasoning: 'Let me see.', reasoning_details: [DETAIL] },
  { content: 'Both.' },
  ...['a', 'b'].map((path, index) => ({
    tool_calls: [
      {
        ...{ index, id: `call_${path}`, type: 'function' },
        function: { name: 'read', arguments: `{"path":"${path}"}` },
      },
    ],
  })),
]
  .map((delta): object => toChunk([{ index: 0, delta, finish_reason: null }]))
  .concat(toChunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]), {
    ...toChunk([]),
    usage: {
      ...{ prompt_tokens: 2125, completion_tokens: 89, total_tokens: 2214, cost: 0.0123 },
      prompt_tokens_details: { cached_tokens: 2000 },
    },
  });

function toChunk(choices: readonly object[]) {
  return { id: 'gen-1', object: 'chat.completion.chunk', created: 1, model: 'x', choices };
}

test('OpenRouter: a streamed answer has its thoughts, text, parallel calls, stop reason and cached usage', async (t) => {
  const { model } = await open(t, () => events(STREAM, { done: true }));
  assert.deepEqual(summarize(await play(model)), {
    ...{ text: 'Both.', reasoning: 'Let me see.', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: 2000, output: 89 },
  });
});

test('OpenRouter: a request has the documented shape, asks for usage and sends reasoning back', async (t) => {
  const { model, seen } = await open(t, () => events(STREAM, { done: true }));
  const [system = assert.fail(), user = assert.fail()] = CALL.prompt;
  const providerOptions = { openrouter: { reasoning_details: [DETAIL] } };
  const thought = { type: 'reasoning' as const, text: 'Let me see.', providerOptions };
  const answer = {
    role: 'assistant' as const,
    content: [thought, { type: 'text' as const, text: 'Hm.' }],
  };
  await play(model, { ...CALL, prompt: [system, user, answer, user] });
  const [{ url, headers, body } = assert.fail()] = seen;
  assert.equal(url, '/api/v1/chat/completions');
  assert.equal(headers['authorization'], 'Bearer key');
  assert.deepEqual(body['usage'], { include: true });
  const text = JSON.stringify(body['messages']);
  assert.match(text, /"type":"image_url"/);
  assert.match(text, /"reasoning_details":\[\{[^\]]*"signature":"EqQB"/);
});

test('OpenRouter: the prompt and the conversation are marked to be cached for models of Anthropic only', async (t) => {
  const count = async (id: string) => {
    const { model, seen } = await open(t, () => events(STREAM, { done: true }), id);
    await play(model);
    const marks = JSON.stringify(seen[0]?.body).match(/"cache_control":\{"type":"ephemeral"\}/g);
    return marks?.length ?? 0;
  };
  const marked = await count('anthropic/claude-sonnet-4.5');
  assert.ok(marked >= 2 && marked <= 4, `${marked} marks`);
  assert.equal(await count('openai/gpt-5'), 0);
});

for (const [what, code, message, kind] of [
  ['a wrong key', 401, 'No auth credentials found', 'unauthorized'],
  ['no credit', 402, 'Insufficient credits', 'quota'],
  ['a rate limit', 429, 'Rate limit exceeded', 'rate-limited'],
  ['an unknown model', 400, 'x/y is not a valid model ID', 'model-gone'],
  ['a model that nobody serves', 404, 'No endpoints found for x/y.', 'model-gone'],
  ['too much', 400, "This endpoint's maximum context length is 5 tokens.", 'context-length'],
  [
    'a filter',
    403,
    'The chosen model requires moderation and your input was flagged',
    'content-filter',
  ],
  ['a provider that is down', 502, 'Provider returned error', 'server-error'],
] as const) {
  test(`OpenRouter: ${what} is the fault ${kind}`, async (t) => {
    const { model } = await open(t, () => json({ error: { code, message } }, code));
    const fault = await play(model).catch((error: unknown) => toFault(error, 0));
    assert.equal('kind' in fault && fault.kind, kind);
  });
}

test('OpenRouter: the list has prices for a million tokens; one that varies is unknown', async (t) => {
  const { access } = await open(t, () =>
    json({
      data: [
        {
          ...{ id: 'a/b', name: 'A: B', context_length: 200_000 },
          pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
          architecture: { input_modalities: ['text', 'image'] },
          supported_parameters: ['tools', 'temperature'],
        },
        { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
      ],
    }),
  );
  assert.deepEqual(await openRouter.listModels(access), [
    {
      ...{ id: 'a/b', name: 'A: B', contextTokens: 200_000, images: true, tools: true },
      price: { input: 3, output: 15, cacheRead: 0.3 },
    },
    { id: 'openrouter/auto' },
  ]);
});

async function open(t: TestContext, answer: () => Answer, id = 'a/b') {
  const server = await serve(t, answer);
  const access = { baseUrl: `${server.url}/api/v1`, apiKey: 'key' };
  const model = await openRouter.open(access, id, { contextTokens: 0 });
  return { model, access, seen: server.seen };
}
