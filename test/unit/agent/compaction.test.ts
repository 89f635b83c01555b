import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyCompactions } from '../../../src/agent/compaction/boundary.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { createFold, STEP } from '../../../src/base/stream/fold.ts';
import type { StoredMessage, StoredPart } from '../../../src/base/stream/stored.ts';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import { createView, output, playTurn, userMessage } from '../../tour/playTurn.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';

const SUMMARY = 'The user wants green tests; a.ts is done.';

/** Whether a request asks for a summary. */
function isSummary({ body }: ModelRequest): boolean {
  return JSON.stringify(body).includes('You write the summary that replaces');
}

/** Summaries are answered; everything else is by the rest of the script. */
function script(reply: Reply | ((request: ModelRequest, count: number) => Reply)) {
  let count = 0;
  return (request: ModelRequest): Reply => {
    if (isSummary(request)) return { text: SUMMARY };
    count += 1;
    return typeof reply === 'function' ? reply(request, count) : reply;
  };
}

function message(id: string, role: 'user' | 'assistant', parts: readonly unknown[]) {
  const metadata = role === 'assistant' ? { finish_reason: 'stop' as const } : {};
  const whole = parts.map((part, at) => ({ id: `prt_${id}_${at}`, ...Object(part) }));
  return { id, sessionId: 's', role, metadata, parts: whole as StoredPart[], createdAt: 0 };
}

const words = (length: number) => 'word '.repeat(Math.ceil(length / 5)).slice(0, length);

/** A session of so many turns, each with a call whose output has so many characters. */
function session(turns: number, said: number, printed = 0): StoredMessage[] {
  const all = Array.from({ length: turns }, (_, at) => [
    message(`u${at}`, 'user', [{ type: 'text', text: `ask ${at} ${words(said)}` }]),
    message(`a${at}`, 'assistant', [
      { type: STEP, data: {} },
      ...(printed === 0 ? [] : [call(`c${at}`, printed)]),
      { type: 'text', text: `answer ${at} ${words(said)}` },
    ]),
  ]);
  return [...all.flat(), userMessage('the newest question')];
}

function call(toolCallId: string, printed: number) {
  const tool = { type: 'tool-read', toolName: 'read', toolCallId, state: 'output-available' };
  return { ...tool, input: { path: toolCallId }, output: output(words(printed)) };
}

/** The turn's message as the record holds it. */
function toStored(chunks: readonly Chunk[], id = 'own'): StoredMessage {
  const fold = createFold();
  for (const chunk of chunks) fold.apply(chunk);
  return message(id, 'assistant', fold.parts);
}

function compactions(chunks: readonly Chunk[]) {
  return chunks.flatMap((chunk) => (chunk.type === 'data-compaction' ? [chunk.data] : []));
}

const size = ({ body }: ModelRequest) => JSON.stringify(body).length;

test('the 2,000th turn sends a summary and the last turns, and the record keeps all (spec CS-86)', async (context) => {
  const messages = session(2_000, 500);
  const before = JSON.stringify(messages);
  const { view, server } = await createView(context, script({ text: 'ok' }), { messages });
  const chunks = await playTurn(view);
  assert.equal(JSON.stringify(messages), before, 'the record is not changed');
  const last = server.requests.at(-1);
  assert.ok(last !== undefined && size(last) < 60_000, `it sends ${last && size(last)} bytes`);
  assert.ok(server.requests.every((request) => size(request) < 450_000));
  assert.match(JSON.stringify(last?.body), /a\.ts is done.*ask 1999.*the newest question/);
  assert.doesNotMatch(JSON.stringify(last?.body), /ask 1998/);
  assert.deepEqual(
    compactions(chunks).map(({ status }) => status),
    ['in_progress', 'completed'],
  );
  const { messages: count, tail_start_id, auto, summary } = compactions(chunks).at(-1) ?? {};
  assert.deepEqual([count, tail_start_id, auto, summary], [3_998, 'u1999', true, SUMMARY]);
});

test('the next turn starts from the stored summary, without another one', async (context) => {
  const messages = session(400, 2_000);
  const first = await createView(context, script({ text: 'ok' }), { messages });
  const own = toStored(await playTurn(first.view));
  const next = [...messages, own, userMessage('and then?')];
  const second = await createView(context, script({ text: 'ok' }), { messages: next });
  const chunks = await playTurn(second.view);
  assert.deepEqual(compactions(chunks), []);
  const body = JSON.stringify(second.server.requests.at(-1)?.body);
  assert.match(body, /a\.ts is done.*ask 399.*the newest question.*ok.*and then\?/);
  assert.ok(body.length < 60_000, String(body.length));
});

test('old outputs are left out first, without a summary, and the newest stay (spec CS-87)', async (context) => {
  const messages = session(200, 20, 20_000);
  const { view, server } = await createView(context, script({ text: 'ok' }), { messages });
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 1);
  const [request] = server.requests;
  assert.ok(request !== undefined && size(request) < 200_000, String(request && size(request)));
  assert.deepEqual(
    compactions(chunks).map(({ status, outputs, summary }) => [status, outputs, summary]),
    [['completed', 199, undefined]],
  );
  const body = JSON.stringify(request.body);
  assert.match(body, /characters were left out here to save context/);
  assert.equal(body.split(words(19_000)).length - 1, 1, 'the newest output is whole');
  // Each call still has its arguments and one result.
  assert.match(body, /\\"path\\":\\"c0\\"/);
});

test('a model with a smaller window compacts before the first request (spec CS-88)', async (context) => {
  const messages = session(20, 1_000);
  const large = await createView(context, script({ text: 'ok' }), { messages });
  assert.deepEqual(compactions(await playTurn(large.view)), []);
  const small = { messages, contextTokens: 8_000 };
  const { view, server } = await createView(context, script({ text: 'ok' }), small);
  assert.equal(compactions(await playTurn(view)).at(-1)?.status, 'completed');
  assert.ok(server.requests.every((request) => size(request) < 6_000 * 4));
});

test('a long turn is compacted between its steps, and its question stays as it was', async (context) => {
  const many = script((request, count) => {
    const usage = { prompt_tokens: Math.ceil(size(request) / 4), completion_tokens: 500 };
    if (count > 40) return { text: 'done', usage };
    return { text: words(2_000), calls: [{ tool: 'read', input: { path: `f${count}` } }], usage };
  });
  const { view, server } = await createView(context, many, {
    contextTokens: 16_000,
    call: async () => output(words(10_000)),
  });
  const chunks = await playTurn(view);
  assert.equal(chunks.at(-1)?.type, 'finish');
  const seen = compactions(chunks);
  assert.ok(seen.some(({ summary }) => summary !== undefined));
  assert.ok(seen.some(({ summary, outputs = 0 }) => summary === undefined && outputs > 0));
  const largest = Math.max(...server.requests.map(size));
  assert.ok(largest < 16_000 * 4, `${largest}`);
  const own = server.requests.filter((request) => !isSummary(request));
  for (const request of own) assert.match(JSON.stringify(request.body), /"hello"/);
  // As reloaded: the record gives the same next request.
  const messages = [...view.messages, toStored(chunks), userMessage('more')];
  const again = await createView(context, script({ text: 'ok' }), {
    messages,
    contextTokens: 16_000,
  });
  await playTurn(again.view);
  assert.ok(again.server.requests.every((request) => size(request) < 16_000 * 4));
});

const TOO_LONG: Reply = {
  fault: {
    at: 'head',
    status: 400,
    message: "This model's maximum context length is 4096 tokens. However, you sent more.",
  },
};

test('a request that the endpoint refuses as too long is compacted and repeated once', async (context) => {
  const messages = session(10, 1_000);
  const { view, server } = await createView(
    context,
    script((_, count) => (count === 1 ? TOO_LONG : { text: 'ok' })),
    { messages },
  );
  const chunks = await playTurn(view);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  assert.equal(compactions(chunks).at(-1)?.status, 'completed');
  const last = server.requests.at(-1);
  assert.ok(last !== undefined && size(last) < 4_096 * 4, String(last && size(last)));
});

test('an endpoint that refuses the shorter request too ends the turn with its reason', async (context) => {
  const { view, server } = await createView(context, script(TOO_LONG), {
    messages: session(10, 1_000),
  });
  const chunks = await playTurn(view);
  const error = chunks.find(({ type }) => type === 'error');
  assert.equal(error?.type === 'error' && error.fault?.kind, 'context-length');
  assert.equal(server.requests.filter((request) => !isSummary(request)).length, 2);
});

test('a summary that fails leaves the conversation as it was, says so, and is not asked for again in the turn', async (context) => {
  const messages = session(10, 2_000);
  let count = 0;
  const failing = (request: ModelRequest): Reply => {
    if (isSummary(request)) return { fault: { at: 'head', status: 401 } };
    count += 1;
    return count < 4 ? { calls: [{ tool: 'read', input: { path: 'a' } }] } : { text: 'ok' };
  };
  const { view, server } = await createView(context, failing, { messages, contextTokens: 8_000 });
  const chunks = await playTurn(view);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  const [, failed, ...more] = compactions(chunks);
  assert.equal(failed?.status, 'failed');
  assert.match(failed?.error ?? '', /401.*not compacted, and nothing of it is lost/);
  assert.deepEqual(more, []);
  assert.equal(server.requests.filter(isSummary).length, 1);
  assert.match(JSON.stringify(server.requests.at(-1)?.body), /ask 0 /);
});

checkRetries(2, 'completed');
checkRetries(3, 'failed');

function checkRetries(failures: number, status: string) {
  test(`a summary that fails ${failures} times ends ${status} (spec CS-86)`, async (context) => {
    let asked = 0;
    const { view } = await createView(
      context,
      (request) => {
        if (!isSummary(request)) return { text: 'ok' };
        asked += 1;
        return asked <= failures ? { fault: { at: 'head', status: 503 } } : { text: SUMMARY };
      },
      {
        messages: session(10, 2_000),
        contextTokens: 8_000,
        clock: { now: () => Date.now(), after: (ms, run) => ({ dispose: start(ms, run) }) },
      },
    );
    assert.equal(compactions(await playTurn(view)).at(-1)?.status, status);
  });
}

/** Waits for a retry are over at once, and no answer is too late. */
function start(ms: number, run: () => void): () => void {
  if (ms > 30_000) return () => undefined;
  const timer = setTimeout(run, 0);
  return () => clearTimeout(timer);
}

test('a cancelled summary says so and ends the turn', async (context) => {
  const controller = new AbortController();
  const { view } = await createView(
    context,
    () => ({ text: words(5_000), chunkSize: 5, delayMs: 20 }),
    { messages: session(10, 2_000), contextTokens: 8_000, signal: controller.signal },
  );
  const chunks = await playTurn(view, ({ type }) => {
    if (type === 'data-compaction') setTimeout(() => controller.abort(), 60);
  });
  assert.deepEqual(
    compactions(chunks).map(({ status }) => status),
    ['in_progress', 'cancelled'],
  );
  assert.equal(chunks.at(-1)?.type, 'abort');
});

test('the user can compact a session: everything is summarised, with what they want kept', async (context) => {
  const messages = session(6, 500).slice(0, -1);
  const { view, server } = await createView(context, script({ text: 'no' }), {
    messages,
    compact: { focus: 'the names of files' },
  });
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 1);
  assert.match(JSON.stringify(server.requests[0]?.body), /in particular: the names of files/);
  const own = toStored(chunks);
  const next = [...messages, own, userMessage('go on')];
  const second = await createView(context, script({ text: 'ok' }), { messages: next });
  await playTurn(second.view);
  const body = JSON.stringify(second.server.requests[0]?.body);
  assert.match(body, /a\.ts is done.*go on/);
  assert.doesNotMatch(body, /ask \d/);
});

test('a session without anything to compact says so, without a request', async (context) => {
  const { view, server } = await createView(context, script({ text: 'no' }), { compact: {} });
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 0);
  assert.match(compactions(chunks)[0]?.error ?? '', /nothing to compact yet/);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
});

test('a rewind to before a compaction takes it back, and a copy with other ids keeps it', async (context) => {
  const messages = session(20, 1_000);
  const options = { messages, contextTokens: 8_000 };
  const own = toStored(
    await playTurn((await createView(context, script({ text: 'ok' }), options)).view),
  );
  const hidden = { ...own, metadata: { ...own.metadata, hidden_at: 1 } };
  const rewound = await createView(context, script({ text: 'ok' }), {
    messages: [...messages, hidden, userMessage('other')],
  });
  await playTurn(rewound.view);
  assert.match(JSON.stringify(rewound.server.requests[0]?.body), /ask 0 /);
  const copy = [...messages, own].map((each, at) => ({ ...each, id: `copy${at}` }));
  const copied = await createView(context, script({ text: 'ok' }), {
    messages: [...copy, userMessage('other')],
  });
  await playTurn(copied.view);
  const body = JSON.stringify(copied.server.requests[0]?.body);
  assert.match(body, /a\.ts is done.*ask 19 .*the newest question/);
  assert.doesNotMatch(body, /ask 18 /);
});

test('a conversation too long for one summary is summarised in pieces', async (context) => {
  const messages = session(40, 2_000);
  const { view, server } = await createView(context, script({ text: 'ok' }), {
    messages,
    contextTokens: 8_000,
    limits: { ...DEFAULT_LIMITS, modelRetries: 0 },
  });
  await playTurn(view);
  const summaries = server.requests.filter(isSummary);
  assert.ok(summaries.length > 3 && summaries.length <= 8, String(summaries.length));
  assert.ok(summaries.slice(1).every(({ body }) => JSON.stringify(body).includes(SUMMARY)));
  assert.ok(server.requests.every((request) => size(request) < 8_000 * 4));
});

test('a switch to a model whose window the compacted session does not fit is refused, and a fork suggested (spec CS-88)', async (context) => {
  const model = { provider_id: 'openai-compatible', model_id: 'larger' };
  const answered = session(3, 500).map((each) =>
    each.role === 'assistant' ? { ...each, metadata: { ...each.metadata, model } } : each,
  );
  const messages = [...answered.slice(0, -1), userMessage(words(60_000))];
  const options = { messages, contextTokens: 8_000 };
  const { view, server } = await createView(context, script({ text: 'ok' }), options);
  const chunks = await playTurn(view);
  assert.ok(server.requests.every(isSummary), 'only summaries were asked for');
  const error = chunks.find((chunk) => chunk.type === 'error');
  assert.match(
    error?.errorText ?? '',
    /does not fit the context window of "\S+" \(8000 tokens\).*everything is kept.*Switch back to "larger", or fork/,
  );
  assert.deepEqual(error?.fault, { kind: 'context-length', retryable: false });
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'error' });
});

test('a switch to a smaller window compacts before the first request (spec CS-88)', async (context) => {
  const model = { provider_id: 'openai-compatible', model_id: 'larger' };
  const messages = session(40, 2_000).map((each) =>
    each.role === 'assistant' ? { ...each, metadata: { ...each.metadata, model } } : each,
  );
  const options = { messages, contextTokens: 8_000 };
  const { view, server } = await createView(context, script({ text: 'ok' }), options);
  const chunks = await playTurn(view);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'stop' });
  assert.ok(server.requests.length > 1 && server.requests.slice(0, -1).every(isSummary));
  assert.ok(server.requests.every((request) => size(request) < 8_000 * 4));
});

test('without a switch, a request that is too long is sent, and the endpoint says so', async (context) => {
  const messages = [userMessage(words(60_000))];
  const options = { messages, contextTokens: 8_000 };
  const { view, server } = await createView(context, script({ text: 'ok' }), options);
  await playTurn(view);
  assert.equal(server.requests.filter((request) => !isSummary(request)).length, 1);
});

test('a request looks only at what its session has since the tail of the last summary', () => {
  const data = { status: 'completed', summary: SUMMARY, tail_start_id: 'u1998', tail_messages: 3 };
  const summary = { type: 'data-compaction', data };
  const turns = session(2_000, 10).slice(0, -1);
  const [last] = turns.splice(-1);
  const holder = message('a1999', 'assistant', [summary, ...(last?.parts ?? [])]);
  const hidden = { ...message('h', 'user', []), metadata: { hidden_at: 1 } };
  const messages = [...turns, holder, hidden, userMessage('next')];
  let looks = 0;
  const watched = new Proxy(messages, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key);
    },
  });
  const sent = applyCompactions(watched);
  assert.ok(looks < 12, `${looks} messages were looked at`);
  const ids = sent.map(({ id }) => id);
  assert.deepEqual(ids.slice(1, -1), ['u1998', 'a1998', 'u1999', 'a1999']);
});
