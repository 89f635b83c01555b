import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createModel } from '../../../src/agent/model.ts';
import type { ModelFault } from '../../../src/base/stream/chunk.ts';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { createView, playTurn } from '../../tour/playTurn.ts';
import type { Reply, ScriptedFault } from '../../tour/server.ts';

const ONCE = { ...DEFAULT_LIMITS, modelRetries: 0 };

checkFault(
  'a wrong key',
  head(401, 'Incorrect API key.'),
  'unauthorized',
  true,
  /401.*Incorrect API key.*Set a valid key/,
);
checkFault(
  'a key without the right',
  head(403),
  'unauthorized',
  true,
  /rejected the API key \(403\)/,
);
checkFault('a rate limit', head(429), 'rate-limited', true, /429.*Wait a moment/);
checkFault('a failing endpoint', head(500), 'server-error', true, /failed \(500\).*Retry/);
checkFault('an overloaded endpoint', head(529), 'server-error', true, /failed \(529\)/);
checkFault(
  'a model that does not exist',
  head(404),
  'other',
  false,
  /model\.baseUrl and gatehouse\.model\.id/,
);
checkFault(
  'a request the endpoint refuses',
  head(400, 'bad temperature'),
  'other',
  false,
  /\(400\): bad temperature/,
);
checkFault(
  'a conversation that is too long',
  head(400, "This model's maximum context length is 8192 tokens."),
  'context-length',
  false,
  /Start a new session/,
);
checkFault(
  'a conversation too long for llama.cpp',
  head(400, 'the request exceeds the available context size'),
  'context-length',
  false,
  /exceeds the model's context window/,
);
checkFault(
  'a connection closed before the answer',
  { at: 'before-first', how: 'reset' },
  'unreachable',
  true,
  /cannot be reached.*gatehouse\.model\.baseUrl/,
);
checkFault(
  'a connection closed in the answer',
  mid('reset'),
  'broken-stream',
  true,
  /was interrupted: the connection was closed\. Everything/,
);
checkFault(
  'a line that is not JSON',
  mid('broken-line'),
  'broken-stream',
  true,
  /was interrupted.*Retry/,
);
checkFault(
  'an answer that just ends',
  mid('no-finish'),
  'broken-stream',
  true,
  /without a finish reason/,
);
checkFault('an error inside the stream', mid('error'), 'server-error', true, /overloaded/);

checkFault(
  'a login page with status 200',
  document('\uFEFF\n <!doctype html><title>Sign in</title>'),
  'other',
  true,
  /sent a web page instead.*baseUrl.*login page or proxy/,
);
checkFault(
  'a JSON document with status 200',
  document(`{"models":[${'1,'.repeat(100_000)}1]}`),
  'other',
  true,
  /sent a JSON document \(\{"models":\[1,1.{0,120}\) instead.*baseUrl.*streaming/,
);
checkFault(
  'an error with status 200',
  document('{"error":{"message":"Engine is busy","code":503}}'),
  'server-error',
  true,
  /failed \(503\): Engine is busy/,
);
checkFault('an empty body', document(''), 'broken-stream', true, /was interrupted/);

checkSilence('an empty answer', { text: '' }, /^The model sent an empty answer\./);
checkSilence('a blank answer', { text: '\n \n' }, /^The model sent an empty answer\./);
checkSilence('only reasoning', { reasoning: 'Hm.', text: '' }, /^The model reasoned, but sent no/);

/** Said as an error that can be retried; what the model thought is kept. */
function checkSilence(name: string, reply: Reply, text: RegExp) {
  test(`${name} is said`, async (context) => {
    const { view, server } = await createView(context, [reply], { limits: ONCE });
    const chunks = await playTurn(view);
    const [error, ...others] = chunks.filter((chunk) => chunk.type === 'error');
    assert.deepEqual(others, []);
    assert.match(error?.errorText ?? '', text);
    assert.deepEqual(error?.fault, { kind: 'other', retryable: true });
    assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'error' });
    assert.equal(server.requests.length, 1);
    const reasoned = chunks.some(({ type }) => type === 'reasoning-delta');
    assert.equal(reasoned, reply.reasoning !== undefined);
  });
}

test('a turn that made calls may end without a word', async (context) => {
  const calls = [{ tool: 'read', input: { path: 'a' } }];
  const { view } = await createView(context, [{ calls }, { text: '' }], {
    call: () => Promise.reject(new Error('no such file')),
  });
  const chunks = await playTurn(view);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
});

test('an answer without text that was cut at its length is not called empty', async (context) => {
  const reply = { reasoning: 'Hm.', text: '', finishReason: 'length' };
  const { view } = await createView(context, [reply], { limits: ONCE });
  assert.deepEqual((await playTurn(view)).at(-1), { type: 'finish', finishReason: 'length' });
});

function document(body: string): ScriptedFault {
  return { at: 'head', status: 200, body };
}

function head(status: number, message?: string): ScriptedFault {
  return { at: 'head', status, ...(message !== undefined && { message }) };
}

function mid(how: 'broken-line' | 'error' | 'reset' | 'no-finish'): ScriptedFault {
  return { at: 'mid-stream', how };
}

/** Each is one error that says what happened, what was saved and what to do; then the turn ends. */
function checkFault(
  name: string,
  fault: ScriptedFault,
  kind: ModelFault['kind'],
  retryable: boolean,
  text: RegExp,
) {
  test(`${name} is a fault of kind ${kind}`, async (context) => {
    const reply: Reply = { text: 'The beginning', chunkSize: 100, fault };
    const { view, server } = await createView(context, [reply], { limits: ONCE });

    const chunks = await playTurn(view);

    const [error, ...others] = chunks.filter((chunk) => chunk.type === 'error');
    assert.deepEqual(others, []);
    assert.equal(error?.fault?.kind, kind);
    assert.equal(error.fault.retryable, retryable);
    assert.match(error.errorText, text);
    assert.match(error.errorText, /Everything so far is saved/);
    assert.deepEqual(chunks.slice(-2), [
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'error' },
    ]);
    assert.equal(server.requests.length, 1);
    const kept = chunks.some((chunk) => chunk.type === 'text-delta');
    assert.equal(kept, fault.at === 'mid-stream');
  });
}

test('an endpoint that is down is unreachable, with its address and the reason', async (context) => {
  const { view, server } = await createView(context, [{}]);
  await server.stop();
  const chunks = await playTurn(view);
  const [error] = chunks.filter((chunk) => chunk.type === 'error');
  assert.match(
    error?.errorText ?? '',
    /http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/,
  );
  assert.deepEqual(error?.fault, { kind: 'unreachable', retryable: true });
});

test('a wait longer than a minute is reported instead', async (context) => {
  const fault: ScriptedFault = { at: 'head', status: 429, headers: { 'retry-after': '3600' } };
  const { view, server } = await createView(context, [{ fault }]);
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 1);
  assert.equal(
    chunks.some(({ type }) => type === 'data-retry'),
    false,
  );
});

for (const how of ['reset', 'stall'] as const) {
  test(`a ${how} before the first byte is retried`, async (context) => {
    const clock = createManualClock();
    const script: Reply[] = [{ fault: { at: 'before-first', how } }, { text: 'Back.' }];
    const limits = { ...DEFAULT_LIMITS, modelFirstChunkMs: 30_000, modelChunkMs: 0 };
    const { view, server } = await createView(context, script, { clock, limits });
    const giveUp = async () => {
      await clock.whenWaiting(30_000);
      // The script goes by the requests that arrived.
      while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(30_000);
    };
    if (how === 'stall') void giveUp();

    const chunks = await playTurn(view, (chunk) => {
      if (chunk.type === 'data-retry') void clock.whenWaiting(1000).then(() => clock.advance(1000));
    });

    assert.equal(server.requests.length, 2);
    assert.equal(chunks.filter(({ type }) => type === 'data-retry').length, 1);
    assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  });
}

test('an endpoint that sends the key back: no fault shows it', async (context) => {
  const key = 'my-own-kind-of-key';
  const fault = head(401, `the key ${key} is wrong`);
  const { view } = await createView(context, [{ fault }], { secrets: () => [key] });
  const text = JSON.stringify(await playTurn(view));
  assert.match(text, /the key … is wrong/);
  assert.doesNotMatch(text, /my-own-kind/);
});

test('an interrupted answer is not retried automatically', async (context) => {
  const { view, server } = await createView(context, [{ text: 'half', fault: mid('error') }]);
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 1);
  assert.equal(chunks.filter(({ type }) => type === 'text-delta').length, 1);
});

test('an endpoint that never starts to answer stalls the turn after the first limit', async (context) => {
  const clock = createManualClock();
  const limits = { ...ONCE, modelFirstChunkMs: 30_000 };
  const stall: Reply = { fault: { at: 'before-first', how: 'stall' } };
  const { view, server } = await createView(context, [stall], { clock, limits });
  const letGo = Promise.withResolvers<void>();
  const model = createModel({
    baseUrl: server.url,
    id: 'm',
    fetch: (input, init) => {
      void clock.whenWaiting(30_000).then(() => clock.advance(30_000));
      return watched(letGo.resolve)(input, init);
    },
  });

  const [error] = (await playTurn({ ...view, model })).filter(({ type }) => type === 'error');

  assert.ok(error?.type === 'error');
  assert.match(error.errorText, /did not start to answer: it sent nothing for 30 s/);
  assert.deepEqual(error.fault, { kind: 'stalled', retryable: true });
  await letGo.promise;
});

/** The real `fetch`, reporting when its request is aborted. */
function watched(onAbort: () => void): typeof globalThis.fetch {
  return (input, init) => {
    init?.signal?.addEventListener('abort', onAbort);
    return globalThis.fetch(input, init);
  };
}

test('an endpoint that stops sending stalls the turn after the second limit, and its text is kept', async (context) => {
  const clock = createManualClock();
  const limits = { ...DEFAULT_LIMITS, modelChunkMs: 9_000 };
  const stall: Reply = { text: 'half', fault: { at: 'mid-stream', how: 'stall' } };
  const { view } = await createView(context, [stall], { clock, limits });

  const chunks = await playTurn(view, (chunk) => {
    if (chunk.type === 'text-delta') void clock.whenWaiting(9_000).then(() => clock.advance(9_000));
  });

  assert.deepEqual(
    chunks.map(({ type }) => type),
    [
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end'],
      ...['error', 'finish-step', 'finish'],
    ],
  );
  assert.equal(clock.waiting.length, 0);
});

test('a cancel while text streams ends in abort and closes the connection', async (context) => {
  const abort = new AbortController();
  const closed = Promise.withResolvers<void>();
  const stall: Reply = { text: 'half', fault: { at: 'mid-stream', how: 'stall' } };
  const { view, server } = await createView(context, [stall], { signal: abort.signal });
  const model = createModel({
    baseUrl: server.url,
    id: 'm',
    fetch: watched(closed.resolve),
  });

  const chunks = await playTurn({ ...view, model }, (chunk) => {
    if (chunk.type === 'text-delta') abort.abort(new Error('stopped by the user'));
  });

  assert.deepEqual(chunks.at(-1), { type: 'abort', reason: 'stopped by the user' });
  assert.equal(
    chunks.some(({ type }) => type === 'finish' || type === 'error'),
    false,
  );
  await closed.promise;
});

test('a cancel while a call runs keeps its state: later chunks are dropped', async (context) => {
  const abort = new AbortController();
  const script: Reply[] = [{ calls: [{ tool: 'read', id: 'c1', input: {} }] }, { text: 'no' }];
  const late = Promise.withResolvers<void>();
  const { view, server } = await createView(context, script, {
    signal: abort.signal,
    call: async ({ toolCallId }, emit) => {
      emit({ type: 'tool-progress', toolCallId, display: { title: 'running' } });
      await late.promise;
      emit({ type: 'tool-output-error', toolCallId, errorText: 'too late' });
      throw new Error('too late as well');
    },
  });

  const chunks = await playTurn(view, (chunk) => {
    if (chunk.type === 'tool-progress') abort.abort();
    if (chunk.type === 'abort') late.resolve();
  });

  assert.deepEqual(chunks.map(({ type }) => type).slice(-2), ['tool-progress', 'abort']);
  assert.equal(server.requests.length, 1);
});

test('a cancel ends the wait before a retry', async (context) => {
  const abort = new AbortController();
  const clock = createManualClock();
  const { view, server } = await createView(context, [{ fault: head(503) }], {
    signal: abort.signal,
    clock,
  });

  const chunks = await playTurn(view, (chunk) => {
    if (chunk.type === 'data-retry') void clock.whenWaiting(1000).then(() => abort.abort());
  });

  assert.equal(chunks.at(-1)?.type, 'abort');
  assert.equal(server.requests.length, 1);
  assert.deepEqual(clock.waiting, []);
});

test('a turn that is cancelled before it starts sends no request', async (context) => {
  const { view, server } = await createView(context, [{ text: 'no' }], {
    signal: AbortSignal.abort(new Error('stopped')),
  });
  assert.deepEqual(await playTurn(view), [{ type: 'abort', reason: 'stopped' }]);
  assert.equal(server.requests.length, 0);
});

test('a redirect is not followed: no host but the configured one is ever contacted', async (context) => {
  let contacted = 0;
  const foreign = createServer((_request, response) => {
    contacted += 1;
    response.end();
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  context.after(() => foreign.close());
  const address = foreign.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const location = `http://127.0.0.1:${port}/v1/chat/completions`;
  const fault: ScriptedFault = { at: 'head', status: 307, headers: { location } };
  const { view } = await createView(context, [{ fault }]);

  const [error] = (await playTurn(view)).filter((chunk) => chunk.type === 'error');

  assert.equal(contacted, 0);
  assert.match(
    error?.errorText ?? '',
    new RegExp(`redirects to ${location}, and Gatehouse does not follow`),
  );
});

test('every request of a turn goes to the host of the base URL', async (context) => {
  const hosts = new Set<string>();
  const original = globalThis.fetch;
  context.after(() => {
    globalThis.fetch = original;
  });
  globalThis.fetch = (input, init) => {
    hosts.add(new URL(input instanceof Request ? input.url : input).host);
    return original(input, init);
  };
  const script: Reply[] = [{ calls: [{ tool: 'read', input: {} }] }, { text: 'ok' }];
  const { view, server } = await createView(context, script);

  await playTurn(view);

  assert.deepEqual([...hosts], [new URL(server.url).host]);
  assert.equal(server.requests.length, 2);
});
