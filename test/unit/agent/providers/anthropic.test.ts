import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import { anthropic } from '../../../../src/agent/providers/anthropic.ts';
import { type Answer, CALL, events, json, play, serve, summarize } from './loopback.ts';

// https://docs.anthropic.com/en/docs/build-with-claude/streaming
const STREAM = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
      ...{ content: [], stop_reason: null, stop_sequence: null },
      usage: {
        ...{ input_tokens: 25, output_tokens: 1 },
        ...{ cache_creation_input_tokens: 100, cache_read_input_tokens: 2000 },
      },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  {
    ...{ type: 'content_block_delta', index: 0 },
    delta: { type: 'thinking_delta', thinking: 'Let me see.' },
  },
  {
    ...{ type: 'content_block_delta', index: 0 },
    delta: { type: 'signature_delta', signature: 'EqQB' },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  {
    ...{ type: 'content_block_delta', index: 1 },
    delta: { type: 'text_delta', text: 'Both.' },
  },
  { type: 'content_block_stop', index: 1 },
  ...['a', 'b'].flatMap((path, at) => [
    {
      ...{ type: 'content_block_start', index: at + 2 },
      content_block: { type: 'tool_use', id: `toolu_${path}`, name: 'read', input: {} },
    },
    {
      ...{ type: 'content_block_delta', index: at + 2 },
      delta: { type: 'input_json_delta', partial_json: `{"path":"${path}"}` },
    },
    { type: 'content_block_stop', index: at + 2 },
  ]),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 89 },
  },
  { type: 'message_stop' },
];

test('Anthropic: a streamed answer has its thoughts, text, parallel calls, stop reason and cached usage', async (t) => {
  const { model } = await open(t, () => events(STREAM, { named: true }));
  const parts = await play(model);
  assert.deepEqual(summarize(parts), {
    ...{ text: 'Both.', reasoning: 'Let me see.', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: 2000, output: 89 },
  });
  const signatures = parts.flatMap((part) =>
    'providerMetadata' in part ? [part.providerMetadata?.['anthropic']?.['signature']] : [],
  );
  assert.ok(signatures.includes('EqQB'), 'the signature of the thoughts is there to be sent back');
});

test('Anthropic: a request has the documented shape, with image, calls and results', async (t) => {
  const { model, seen } = await open(t, () => events(STREAM, { named: true }));
  await play(model);
  const [{ url, headers, body } = assert.fail()] = seen;
  assert.equal(url, '/v1/messages');
  assert.equal(headers['x-api-key'], 'key');
  assert.equal(headers['anthropic-version'], '2023-06-01');
  const { model: id, stream, messages, tools } = body;
  assert.deepEqual([id, stream], ['claude-sonnet-4-5', true]);
  assert.match(JSON.stringify(tools), /"name":"read".*"input_schema"/);
  const text = JSON.stringify(messages);
  assert.match(text, /"type":"image","source":\{"type":"base64","media_type":"image\/png"/);
  assert.match(text, /"type":"tool_use","id":"call_a"/);
  assert.match(text, /"type":"tool_result","tool_use_id":"call_b"/);
});

test('Anthropic: the prompt and the conversation so far are marked to be cached', async (t) => {
  const { model, seen } = await open(t, () => events(STREAM, { named: true }));
  await play(model);
  const [{ body } = assert.fail()] = seen;
  const cached = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;
  assert.equal(cached(body['system']), 1);
  assert.ok(cached(body['messages']) >= 1 && cached(body['messages']) <= 3);
  const last = (Array.isArray(body['messages']) ? body['messages'] : []).at(-1);
  assert.equal(cached(last), 1, 'the newest message ends a cached part');
});

test('Anthropic: thoughts go back with their signature', async (t) => {
  const { model, seen } = await open(t, () => events(STREAM, { named: true }));
  const [system = assert.fail(), user = assert.fail()] = CALL.prompt;
  const providerOptions = { anthropic: { signature: 'EqQB' } };
  const thought = { type: 'reasoning' as const, text: 'Let me see.', providerOptions };
  const answer = { role: 'assistant' as const, content: [thought] };
  await play(model, { ...CALL, prompt: [system, user, answer, user] });
  const text = JSON.stringify(seen[0]?.body['messages']);
  assert.match(text, /"type":"thinking","thinking":"Let me see.","signature":"EqQB"/);
});

for (const [what, status, type, message, kind] of [
  ['a wrong key', 401, 'authentication_error', 'invalid x-api-key', 'unauthorized'],
  ['no credit', 400, 'invalid_request_error', 'Your credit balance is too low', 'quota'],
  ['a rate limit', 429, 'rate_limit_error', 'This would exceed your rate limit', 'rate-limited'],
  ['an unknown model', 404, 'not_found_error', 'model: claude-0', 'model-gone'],
  ['too much text', 400, 'invalid_request_error', 'prompt is too long: 9 > 5', 'context-length'],
  ['an overload', 529, 'overloaded_error', 'Overloaded', 'server-error'],
] as const) {
  test(`Anthropic: ${what} is the fault ${kind}`, async (t) => {
    const { model } = await open(t, () =>
      json({ type: 'error', error: { type, message } }, status),
    );
    const fault = await play(model).catch((error: unknown) => toFault(error, 0));
    assert.equal('kind' in fault && fault.kind, kind);
  });
}

test('Anthropic: an overload within the stream is the fault server-error', async (t) => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const { model } = await open(t, () => events([...STREAM.slice(0, 1), error], { named: true }));
  const outcome = await play(model).catch((fault: unknown) => fault);
  const part = Array.isArray(outcome) ? outcome.find(({ type }) => type === 'error') : undefined;
  assert.equal(toFault(part?.error ?? outcome, 0).kind, 'server-error');
});

test('Anthropic: the list has names and context windows, and prices of the models that are known', async (t) => {
  const { access } = await open(t, () =>
    json({
      data: [
        { type: 'model', id: 'claude-sonnet-4-5-20250929', display_name: 'Claude Sonnet 4.5' },
        { type: 'model', id: 'claude-new-9', display_name: 'New', max_input_tokens: 500_000 },
      ],
      has_more: false,
    }),
  );
  assert.deepEqual(await anthropic.listModels(access), [
    {
      ...{ id: 'claude-sonnet-4-5-20250929', name: 'Claude Sonnet 4.5', contextTokens: 200_000 },
      ...{ images: true, tools: true },
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    },
    { id: 'claude-new-9', name: 'New', contextTokens: 500_000, images: true, tools: true },
  ]);
});

async function open(t: TestContext, answer: () => Answer) {
  const server = await serve(t, answer);
  const access = { baseUrl: `${server.url}/v1`, apiKey: 'key' };
  const model = await anthropic.open(access, 'claude-sonnet-4-5', { contextTokens: 0 });
  return { model, access, seen: server.seen };
}
