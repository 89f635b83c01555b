import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../src/base/event.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import type { ToolRequest } from '../../../src/tools/call.ts';
import { toConversation } from '../../tour/conversation.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { createView, output, playTurn, READ } from '../../tour/playTurn.ts';
import type { Reply } from '../../tour/server.ts';

const DISPLAY = { title: 'read', kind: 'read' } as const;

test('a turn without calls is one step of text, reasoning and usage', async (context) => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 60 },
  };
  const script: Reply[] = [{ reasoning: 'Hm.', text: 'Hello there', chunkSize: 6, usage }];
  const { view } = await createView(context, script);

  assert.deepEqual(await playTurn(view), [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'reasoning-start', id: '#1' },
    { type: 'reasoning-delta', id: '#1', delta: 'Hm.' },
    { type: 'reasoning-end', id: '#1' },
    { type: 'text-start', id: '#2' },
    { type: 'text-delta', id: '#2', delta: 'Hello ' },
    { type: 'text-delta', id: '#2', delta: 'there' },
    { type: 'text-end', id: '#2' },
    {
      type: 'data-usage',
      data: { input: 40, output: 7, reasoning: 0, cache_read: 60, cache_write: 0 },
      transient: true,
    },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ]);
});

test('the request carries the system prompt, the tools and the key, and asks for a stream', async (context) => {
  const { view, server } = await createView(context, [{ text: 'ok' }]);
  await playTurn(view);

  const [request] = server.requests;
  assert.equal(request?.headers['authorization'], 'Bearer secret');
  assert.deepEqual(request?.conversation, {
    system: 'You are a test.',
    prompt: 'hello',
    prompts: 1,
    results: [],
    tools: ['read'],
  });
  assert.equal(request?.body['stream'], true);
});

test('a call is shown as its arguments stream, run, and its envelope goes back to the model', async (context) => {
  const script: Reply[] = [
    { calls: [{ tool: 'read', id: 'c1', input: { path: 'a' } }] },
    { text: 'ok' },
  ];
  const asked: ToolRequest[] = [];
  const { view, server } = await createView(context, script, {
    call: async (request) => {
      asked.push(request);
      return output('content');
    },
  });

  const chunks = (await playTurn(view)).filter(({ type }) => type.startsWith('tool-'));

  assert.deepEqual(asked, [
    { toolCallId: 'c1', tool: 'read', input: { path: 'a' }, inputText: '{"path":"a"}' },
  ]);
  assert.deepEqual(chunks, [
    { type: 'tool-input-start', toolCallId: 'c1', toolName: 'read', display: DISPLAY },
    { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"path":"a"}' },
    { type: 'tool-input-available', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
    { type: 'tool-output-available', toolCallId: 'c1', output: output('content') },
  ]);
  assert.deepEqual(server.requests[1]?.conversation.results, [
    { tool: 'read', id: 'c1', ok: true, data: 'content', errorText: '' },
  ]);
});

test('a call carries its arguments as the model wrote them, unless they are blank', async (context) => {
  const text = '{ "n": 12345678901234567890, "x": 1e400, "b": 1, "2": 2.0 }';
  const calls = [
    { tool: 'read', input: text },
    { tool: 'read', input: ' ' },
  ];
  const asked: ToolRequest[] = [];
  const { view } = await createView(context, [{ calls, chunkSize: 7 }, { text: 'ok' }], {
    call: async (request) => {
      asked.push(request);
      return output('content');
    },
  });
  await playTurn(view);
  assert.deepEqual(
    asked.map(({ inputText }) => inputText),
    [text, undefined],
  );
  assert.deepEqual(asked[1]?.input, {});
});

test('parallel calls run together, and their results go back in call order', async (context) => {
  const script: Reply[] = [
    {
      calls: [
        { tool: 'read', id: 'a', input: { path: 'a' } },
        { tool: 'read', id: 'b', input: { path: 'b' } },
      ],
    },
    { text: 'ok' },
  ];
  const second = Promise.withResolvers<void>();
  const { view, server } = await createView(context, script, {
    // The first call ends only after the second has: one after the other, this would never end.
    call: async ({ toolCallId }) => {
      if (toolCallId === 'a') await second.promise;
      else second.resolve();
      return output(toolCallId);
    },
  });

  const chunks = await playTurn(view);

  const ended = chunks.flatMap((chunk) =>
    chunk.type === 'tool-output-available' ? [chunk.toolCallId] : [],
  );
  assert.deepEqual(ended, ['b', 'a']);
  const results = server.requests[1]?.conversation.results.map(({ data }) => data);
  assert.deepEqual(results, ['a', 'b']);
});

test('what a call emits is in the stream while the call still runs', async (context) => {
  const script: Reply[] = [{ calls: [{ tool: 'read', id: 'c1', input: {} }] }, { text: 'ok' }];
  const approved = Promise.withResolvers<void>();
  const { view } = await createView(context, script, {
    call: async ({ toolCallId }, emit) => {
      emit({ type: 'tool-approval-request', toolCallId, approvalId: 'p1' });
      await approved.promise;
      emit({ type: 'tool-progress', toolCallId, display: { title: 'running' } });
      return output('done');
    },
  });

  const chunks = await playTurn(view, (chunk) => {
    if (chunk.type === 'tool-approval-request') approved.resolve();
  });

  assert.deepEqual(
    chunks.map(({ type }) => type).filter((type) => /approval|progress|output/.test(type)),
    ['tool-approval-request', 'tool-progress', 'tool-output-available'],
  );
});

test('a refusal is stored with the result the model gets', async (context) => {
  const script: Reply[] = [{ calls: [{ tool: 'read', id: 'c1', input: {} }] }, { text: 'ok' }];
  const told = {
    type: 'error',
    error_text: 'The user rejected this call: no',
    metadata: { duration_ms: 1 },
  } as const;
  const { view, server } = await createView(context, script, {
    call: async ({ toolCallId }, emit) => {
      emit({ type: 'tool-output-denied', toolCallId, reason: 'no' });
      return told;
    },
  });

  const chunks = await playTurn(view);

  const denied = chunks.filter(({ type }) => type.startsWith('tool-output'));
  assert.deepEqual(denied, [
    { type: 'tool-output-denied', toolCallId: 'c1', reason: 'no', output: told },
  ]);
  assert.equal(server.requests[1]?.conversation.results[0]?.errorText, told.error_text);
});

test('a tool that throws is one error, and the turn goes on', async (context) => {
  const script: Reply[] = [{ calls: [{ tool: 'read', id: 'c1', input: {} }] }, { text: 'ok' }];
  const { view, server } = await createView(context, script, {
    call: () => Promise.reject(new Error('boom')),
  });

  const chunks = await playTurn(view);

  const errorText = 'The tool failed unexpectedly: boom';
  assert.deepEqual(
    chunks.filter(({ type }) => type.startsWith('tool-output')),
    [{ type: 'tool-output-error', toolCallId: 'c1', errorText }],
  );
  assert.equal(server.requests[1]?.conversation.results[0]?.errorText, errorText);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
});

checkUnrunnable(
  'arguments that are not JSON',
  { tool: 'read', input: '{"path": ' },
  /not valid JSON/,
);

function checkUnrunnable(name: string, call: { tool: string; input: unknown }, expected: RegExp) {
  test(`${name}: the model gets exactly one error, and nothing runs`, async (context) => {
    const script: Reply[] = [{ calls: [{ id: 'c1', ...call }] }, { text: 'ok' }];
    const { view, server } = await createView(context, script, {
      call: () => assert.fail('the call must not run'),
    });

    const chunks = await playTurn(view);

    const errors = chunks.flatMap((chunk) =>
      chunk.type === 'tool-input-error' ? [chunk.errorText] : [],
    );
    assert.equal(errors.length, 1);
    assert.match(errors.join(), expected);
    const results = server.requests[1]?.conversation.results ?? [];
    assert.deepEqual(
      results.map(({ id, ok, errorText }) => ({ id, ok, errorText })),
      [{ id: 'c1', ok: false, errorText: errors[0] }],
    );
    assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  });
}

test('a call of an unknown tool goes to whoever runs calls, who knows why it is gone', async (context) => {
  const script: Reply[] = [{ calls: [{ id: 'c1', tool: 'raed', input: {} }] }, { text: 'ok' }];
  const error_text = 'unknown tool: raed';
  const { view, server } = await createView(context, script, {
    call: async () => ({
      type: 'error',
      error_text,
      metadata: { duration_ms: 0, failure_content: 'error' },
    }),
  });
  await playTurn(view);
  const messages = server.requests[1]?.body['messages'];
  assert.equal(
    JSON.stringify(messages).includes(JSON.stringify('{"error":"unknown tool: raed"}')),
    true,
  );
});

test('a model that gives every call the same id gets unique ones back', async (context) => {
  const call = { tool: 'read', id: 'call_0', input: {} };
  const { view, server } = await createView(context, [{ calls: [call] }, { calls: [call] }, {}]);

  await playTurn(view);

  const ids = server.requests[2]?.conversation.results.map(({ id }) => id);
  assert.deepEqual(ids, ['call_0', 'call_0-2']);
});

test('the step limit ends a turn that would run forever', async (context) => {
  const { view, server } = await createView(context, [{ calls: [{ tool: 'read', input: {} }] }], {
    limits: { ...DEFAULT_LIMITS, turnSteps: 3 },
  });

  const chunks = await playTurn(view);

  assert.equal(server.requests.length, 3);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'max-steps' });
  assert.equal(chunks.filter(({ type }) => type === 'tool-output-available').length, 3);
});

test('an answer cut off by the token limit has that finish reason', async (context) => {
  const { view } = await createView(context, [{ text: 'half', finishReason: 'length' }]);
  const chunks = await playTurn(view);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'length' });
});

test('a megabyte of text arrives whole', async (context) => {
  const text = 'äbcdefghij'.repeat(100_000);
  const { view } = await createView(context, [{ text, chunkSize: 1000 }]);
  const chunks = await playTurn(view);
  const received = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
  assert.equal(received === text, true);
});

test('calls left open by a broken stream end with an error and do not run', async (context) => {
  const reply: Reply = {
    text: 'I read.',
    calls: [{ tool: 'read', id: 'c1', input: { path: 'a' } }],
    fault: { at: 'mid-stream', how: 'broken-line' },
  };
  const { view } = await createView(context, [reply], {
    call: () => assert.fail('the call must not run'),
  });

  const chunks = await playTurn(view);

  const types = chunks.map(({ type }) => type).slice(-5);
  assert.deepEqual(types, ['text-end', 'tool-input-error', 'error', 'finish-step', 'finish']);
});

test('the request after a fault does not repeat streamed text', async (context) => {
  const clock = createManualClock();
  const busy: Reply = { fault: { at: 'head', status: 429, headers: { 'retry-after': '7' } } };
  const { view, server } = await createView(context, [busy, { text: 'ok' }], { clock });

  const chunks = await playTurn(view, (chunk) => {
    if (chunk.type === 'data-retry') void clock.whenWaiting(7000).then(() => clock.advance(7000));
  });

  assert.equal(server.requests.length, 2);
  const [notice] = chunks.filter(({ type }) => type === 'data-retry');
  assert.deepEqual(notice, {
    type: 'data-retry',
    data: {
      attempt: 1,
      maxAttempts: 5,
      at: 1_800_000_007_000,
      reason: dataReason(notice),
      kind: 'rate-limited',
    },
    transient: true,
  });
  assert.match(String(dataReason(notice)), /rate limit was exceeded \(429\)/);
  assert.deepEqual(
    chunks.map(({ type }) => type),
    [
      ...['start', 'start-step', 'data-retry', 'text-start', 'text-delta', 'text-end'],
      ...['data-usage', 'finish-step', 'finish'],
    ],
  );
});

test('the user need not wait for a retry', async (context) => {
  const clock = createManualClock();
  const busy: Reply = { fault: { at: 'head', status: 429, headers: { 'retry-after': '7' } } };
  const { view, server } = await createView(context, [busy, { text: 'ok' }], { clock });
  const retryNow = new Emitter<void>();

  const chunks = await playTurn({ ...view, onRetryNow: retryNow.event }, (chunk) => {
    if (chunk.type === 'data-retry') void clock.whenWaiting(7000).then(() => retryNow.fire());
  });

  assert.equal(server.requests.length, 2);
  assert.equal(chunks.at(-1)?.type, 'finish');
});

function dataReason(chunk: Chunk | undefined): unknown {
  if (chunk?.type !== 'data-retry' || !('data' in chunk)) return undefined;
  const { data } = chunk;
  return typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined;
}

test('without retry-after the waits double, and the last failure is reported', async (context) => {
  const clock = createManualClock();
  const waits: number[] = [];
  const { view, server } = await createView(context, [{ fault: { at: 'head', status: 503 } }], {
    clock,
    limits: { ...DEFAULT_LIMITS, modelRetries: 3 },
  });

  const chunks = await playTurn(view, async (chunk) => {
    if (chunk.type !== 'data-retry') return;
    const wait = 1000 * 2 ** waits.length;
    waits.push(wait);
    void clock.whenWaiting(wait).then(() => clock.advance(wait));
  });

  assert.deepEqual(waits, [1000, 2000, 4000]);
  assert.equal(server.requests.length, 4);
  const fault = { kind: 'server-error', retryable: true, status: 503 };
  assert.deepEqual(
    chunks.flatMap((chunk) => (chunk.type === 'error' ? [chunk.fault] : [])),
    [fault],
  );
});

test('the order in which tools are offered is the order of the registry', async (context) => {
  const tools = ['write', 'read', 'bash'].map((id) => ({ ...READ, id }));
  const { view, server } = await createView(context, [{ text: 'ok' }], { tools });
  await playTurn(view);
  assert.deepEqual(toConversation(server.requests[0]?.body ?? {}).tools, ['write', 'read', 'bash']);
});
