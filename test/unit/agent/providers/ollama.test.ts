import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import { ollama } from '../../../../src/agent/providers/ollama/ollama.ts';
import { MB } from '../../../../src/base/units.ts';
import { cpuTime } from '../../cpuTime.ts';
import { type Answer, json, lines, play, type Seen, serve, summarize } from './loopback.ts';

// https://docs.ollama.com/api/chat
const STREAM = [
  toRow({ role: 'assistant', content: '', thinking: 'Let me ' }),
  toRow({ role: 'assistant', content: '', thinking: 'see.' }),
  toRow({ role: 'assistant', content: 'Both.' }),
  toRow({
    ...{ role: 'assistant', content: '' },
    tool_calls: ['a', 'b'].map((path) => ({ function: { name: 'read', arguments: { path } } })),
  }),
  {
    ...toRow({ role: 'assistant', content: '' }, true),
    ...{ done_reason: 'stop', prompt_eval_count: 2125, eval_count: 89 },
  },
];

function toRow(message: object, done = false) {
  return { model: 'qwen3:8b', created_at: '2026-01-01T00:00:00Z', message, done };
}

test('Ollama: a streamed answer has its thoughts, text, parallel calls, stop reason and usage', async (t) => {
  const { model } = await open(t, () => lines(STREAM));
  assert.deepEqual(summarize(await play(model)), {
    ...{ text: 'Both.', reasoning: 'Let me see.', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: undefined, output: 89 },
  });
});

test('Ollama: a request has the documented shape, with image, calls and results', async (t) => {
  const { model, seen } = await open(t, () => lines(STREAM));
  await play(model);
  const [{ url, body } = assert.fail()] = seen;
  assert.equal(url, '/api/chat');
  assert.deepEqual(body, {
    ...{ model: 'qwen3:8b', stream: true, truncate: false, shift: false },
    options: { num_ctx: 32_768 },
    messages: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Look.', images: ['iVBORw0KGgo='] },
      {
        ...{ role: 'assistant', content: 'I read both.' },
        tool_calls: ['a', 'b'].map((path) => ({
          function: { name: 'read', arguments: { path } },
        })),
      },
      { role: 'tool', tool_name: 'read', content: 'content of a' },
      { role: 'tool', tool_name: 'read', content: 'content of b' },
    ],
    tools: [
      {
        type: 'function',
        function: {
          ...{ name: 'read', description: 'Reads a file.' },
          parameters: { type: 'object', properties: { path: { type: 'string' } } },
        },
      },
    ],
  });
});

/** What Ollama does: it keeps the newest of what fits `num_ctx`, which is 4,096 unless a request says more. */
function keep({ body }: Seen): string {
  const options = Object(body['options']);
  const window = typeof options.num_ctx === 'number' ? options.num_ctx : 4096;
  return JSON.stringify(body['messages']).slice(-window * 4);
}

test('Ollama: a request of 12,000 tokens arrives whole', async (t) => {
  const kept: string[] = [];
  const { model } = await open(t, (seen) => {
    kept.push(keep(seen));
    return lines(STREAM);
  });
  const text = `FIRST ${'word '.repeat(12_000)}LAST`;
  const content = [{ type: 'text' as const, text }];
  await play(model, { prompt: [{ role: 'user', content }] });
  assert.match(kept[0] ?? '', /FIRST .*LAST/s);
});

test('Ollama: the context window comes from /api/show, up to what most machines can hold', async (t) => {
  const show = (context: number, parameters = '') => ({
    ...{ capabilities: ['completion', 'tools', 'vision'], parameters },
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': context },
  });
  const answers = [show(8192), show(262_144), show(262_144, 'num_ctx    65536\ntemperature 1')];
  const { access, seen } = await open(t, () => json(answers.shift()));
  const describe = async () => (await ollama.describe?.(access, 'qwen3:8b'))?.contextTokens;
  assert.deepEqual([await describe(), await describe(), await describe()], [8192, 32_768, 65_536]);
  assert.deepEqual(
    [seen[0]?.method, seen[0]?.url, seen[0]?.body],
    ['POST', '/api/show', { model: 'qwen3:8b' }],
  );
});

test('Ollama: the list says which models can call tools, with their windows; one without a description stays', async (t) => {
  const { access, seen } = await open(t, ({ url, body }) => {
    const names = ['qwen3:8b', 'talk', 'nomic-embed', 'broken'];
    if (url === '/api/tags') return json({ models: names.map((model) => ({ model })) });
    if (body['model'] === 'broken') return json({ error: 'no' }, 500);
    const capabilities = body['model'] === 'talk' ? ['completion'] : ['completion', 'tools'];
    return json({ capabilities, model_info: { 'a.context_length': 8192 } });
  });
  const price = { input: 0, output: 0 };
  assert.deepEqual(await ollama.listModels(access), [
    { id: 'qwen3:8b', price, contextTokens: 8192, images: false, tools: true },
    { id: 'talk', price, contextTokens: 8192, images: false, tools: false },
    { id: 'broken', price },
  ]);
  assert.equal(seen.length, 4);
});

test('Ollama: an address with /v1 behind it is the same server', async (t) => {
  const { access, seen } = await open(t, () => json({ models: [{ model: 'qwen3:8b' }] }));
  const models = await ollama.listModels({ ...access, baseUrl: `${access.baseUrl}/v1` });
  assert.deepEqual(models, [{ id: 'qwen3:8b', price: { input: 0, output: 0 } }]);
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/api/tags', '/api/show'],
  );
});

for (const [what, answer, kind] of [
  ['an unknown model', json({ error: "model 'x' not found" }, 404), 'model-gone'],
  [
    'too much text',
    json({ error: 'the input length exceeds the context length' }, 400),
    'context-length',
  ],
  ['an error in the stream', lines([...STREAM.slice(0, 1), { error: 'no.' }]), 'broken-stream'],
  ['an answer that breaks off', lines(STREAM.slice(0, 3)), 'broken-stream'],
  ['a web page', { body: '<html>Log in</html>' }, 'broken-stream'],
  ['a line without an end', { body: `{"message":"${'x'.repeat(17 * MB)}` }, 'broken-stream'],
] as const satisfies readonly (readonly [string, Answer, string])[]) {
  test(`Ollama: ${what} is the fault ${kind}`, async (t) => {
    const { model } = await open(t, () => answer);
    const outcome = await play(model).catch((error: unknown) => error);
    const part = Array.isArray(outcome) ? outcome.find(({ type }) => type === 'error') : undefined;
    assert.equal(toFault(part?.error ?? outcome, 0).kind, kind);
  });
}

test('Ollama: a long line in tiny pieces is read in a time that grows with its length', async () => {
  const row = `${JSON.stringify({ message: { content: 'x'.repeat(2_000_000) } })}\n`;
  const end = `${JSON.stringify({ message: {}, done: true, done_reason: 'stop' })}\n`;
  const bytes = new TextEncoder().encode(row + end);
  let at = 0;
  const body = new ReadableStream({
    pull(to) {
      if (at >= bytes.length) return to.close();
      to.enqueue(bytes.subarray(at, at + 100));
      at += 100;
    },
  });
  const access = { baseUrl: 'http://127.0.0.1:1', fetch: async () => new Response(body) };
  const model = await ollama.open(access, 'x', { contextTokens: 0 });
  let text = '';
  const spent = await cpuTime(async () => {
    ({ text } = summarize(await play(model)));
  });
  assert.equal(text.length, 2_000_000);
  assert.ok(spent < 3_000, `${spent} ms`);
});

async function open(t: TestContext, answer: (seen: Seen) => Answer) {
  const server = await serve(t, answer);
  const access = { baseUrl: server.url };
  const model = await ollama.open(access, 'qwen3:8b', { contextTokens: 32_768 });
  return { model, access, seen: server.seen };
}
