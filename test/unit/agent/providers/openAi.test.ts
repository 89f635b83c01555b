import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import type { Provider } from '../../../../src/agent/models/provider.ts';
import { openAi, openAiChat } from '../../../../src/agent/providers/openAi.ts';
import { type Answer, CALL, events, json, play, serve, summarize } from './loopback.ts';

const USAGE = {
  ...{ input_tokens: 2125, output_tokens: 89, total_tokens: 2214 },
  input_tokens_details: { cached_tokens: 2000 },
  output_tokens_details: { reasoning_tokens: 40 },
};
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5' };

// https://platform.openai.com/docs/api-reference/responses-streaming
const RESPONSES = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } },
  {
    ...{ type: 'response.output_item.added', output_index: 0 },
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
  },
  {
    ...{ type: 'response.reasoning_summary_part.added', item_id: 'rs_1' },
    ...{ output_index: 0, summary_index: 0, part: { type: 'summary_text', text: '' } },
  },
  {
    ...{ type: 'response.reasoning_summary_text.delta', item_id: 'rs_1' },
    ...{ output_index: 0, summary_index: 0, delta: 'Let me see.' },
  },
  {
    ...{ type: 'response.output_item.done', output_index: 0 },
    item: {
      ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' },
      summary: [{ type: 'summary_text', text: 'Let me see.' }],
    },
  },
  {
    ...{ type: 'response.output_item.added', output_index: 1 },
    item: { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
  },
  {
    ...{ type: 'response.output_text.delta', item_id: 'msg_1' },
    ...{ output_index: 1, content_index: 0, delta: 'Both.' },
  },
  {
    ...{ type: 'response.output_item.done', output_index: 1 },
    item: {
      ...{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'Both.', annotations: [] }],
    },
  },
  ...['a', 'b'].flatMap((path, at) => {
    const item = { type: 'function_call', id: `fc_${path}`, call_id: `call_${path}`, name: 'read' };
    const place = { output_index: at + 2, item_id: `fc_${path}` };
    const args = `{"path":"${path}"}`;
    return [
      {
        ...{ type: 'response.output_item.added', output_index: at + 2 },
        item: { ...item, arguments: '', status: 'in_progress' },
      },
      { type: 'response.function_call_arguments.delta', ...place, delta: args },
      {
        ...{ type: 'response.output_item.done', output_index: at + 2 },
        item: { ...item, arguments: args, status: 'completed' },
      },
    ];
  }),
  { type: 'response.completed', response: { ...RESPONSE, status: 'completed', usage: USAGE } },
];

// https://platform.openai.com/docs/api-reference/chat-streaming
const CHAT = [
  { role: 'assistant', content: '' },
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
      ...{ prompt_tokens: 2125, completion_tokens: 89, total_tokens: 2214 },
      prompt_tokens_details: { cached_tokens: 2000 },
    },
  });

function toChunk(choices: readonly object[]) {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1' };
  return { ...chunk, choices };
}

test('OpenAI: a streamed response has its thoughts, text, parallel calls, stop reason and cached usage', async (t) => {
  const { model } = await open(t, openAi, 'gpt-5', () => events(RESPONSES, { named: true }));
  const parts = await play(model);
  assert.deepEqual(summarize(parts), {
    ...{ text: 'Both.', reasoning: 'Let me see.', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: 2000, output: 89 },
  });
  assert.match(JSON.stringify(parts), /"reasoningEncryptedContent":"gAAA"/);
});

test('OpenAI: a request has the documented shape, is not stored, and asks for encrypted reasoning', async (t) => {
  const { model, seen } = await open(t, openAi, 'gpt-5', () => events(RESPONSES, { named: true }));
  await play(model);
  const [{ url, headers, body } = assert.fail()] = seen;
  assert.equal(url, '/v1/responses');
  assert.equal(headers['authorization'], 'Bearer key');
  assert.deepEqual([body['store'], body['stream']], [false, true]);
  assert.deepEqual(body['include'], ['reasoning.encrypted_content']);
  const text = JSON.stringify(body['input']);
  assert.match(text, /"type":"input_image","image_url":"data:image\/png;base64,/);
  assert.match(text, /"type":"function_call","call_id":"call_a"/);
  assert.match(text, /"type":"function_call_output","call_id":"call_b"/);
});

test('OpenAI: encrypted reasoning goes back with the next request', async (t) => {
  const { model, seen } = await open(t, openAi, 'gpt-5', () => events(RESPONSES, { named: true }));
  const [system = assert.fail(), user = assert.fail()] = CALL.prompt;
  const providerOptions = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAA' } };
  const thought = { type: 'reasoning' as const, text: 'Let me see.', providerOptions };
  const answer = { role: 'assistant' as const, content: [thought] };
  await play(model, { ...CALL, prompt: [system, user, answer, user] });
  assert.match(JSON.stringify(seen[0]?.body['input']), /"encrypted_content":"gAAA"/);
});

test('OpenAI (Chat): a streamed answer has its text, parallel calls, stop reason and cached usage', async (t) => {
  const { model, seen } = await open(t, openAiChat, 'gpt-4.1', () => events(CHAT, { done: true }));
  assert.deepEqual(summarize(await play(model)), {
    ...{ text: 'Both.', reasoning: '', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: 2000, output: 89 },
  });
  const [{ url, body } = assert.fail()] = seen;
  assert.equal(url, '/v1/chat/completions');
  const text = JSON.stringify(body['messages']);
  assert.match(text, /"type":"image_url","image_url":\{"url":"data:image\/png;base64,/);
  assert.match(text, /"role":"tool","tool_call_id":"call_b"/);
});

for (const [what, status, code, message, kind] of [
  ['a wrong key', 401, 'invalid_api_key', 'Incorrect API key provided', 'unauthorized'],
  ['no quota', 429, 'insufficient_quota', 'You exceeded your current quota', 'quota'],
  ['a rate limit', 429, 'rate_limit_exceeded', 'Rate limit reached for gpt-5', 'rate-limited'],
  ['an unknown model', 404, 'model_not_found', 'The model `x` does not exist', 'model-gone'],
  ['too much', 400, 'context_length_exceeded', 'Your input exceeds it', 'context-length'],
  ['a filter', 400, 'content_filter', 'The response was filtered', 'content-filter'],
] as const) {
  for (const provider of [openAi, openAiChat]) {
    test(`${provider.label}: ${what} is the fault ${kind}`, async (t) => {
      const error = { message, type: 'invalid_request_error', param: null, code };
      const { model } = await open(t, provider, 'gpt-5', () =>
        json({ error }, status, { 'retry-after': '120' }),
      );
      const fault = await play(model).catch((each: unknown) => toFault(each, 0));
      assert.equal('kind' in fault && fault.kind, kind);
      if (kind === 'rate-limited') assert.match('text' in fault ? fault.text : '', /in 2 min/);
    });
  }
}

test('OpenAI: the list has the models that chat', async (t) => {
  const ids = ['gpt-4.1', 'whisper-1', 'gpt-image-1', 'text-embedding-3-large', 'gpt-9'];
  const { access } = await open(t, openAi, 'x', () => json({ data: ids.map((id) => ({ id })) }));
  assert.deepEqual(await openAi.listModels(access), [
    {
      ...{ id: 'gpt-4.1', contextTokens: 1_047_576, tools: true, images: true },
      price: { input: 2, cacheRead: 0.5, output: 8 },
    },
    { id: 'gpt-9', tools: true, images: true },
  ]);
});

async function open(t: TestContext, provider: Provider, id: string, answer: () => Answer) {
  const server = await serve(t, answer);
  const access = { baseUrl: `${server.url}/v1`, apiKey: 'key' };
  const model = await provider.open(access, id, { contextTokens: 0 });
  return { model, access, seen: server.seen };
}
