import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { test } from 'node:test';
import type { Tool } from '../../../src/tools/contract.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { HEADLESS_ANSWER } from '../../../src/tools/locked/question.ts';
import { ALLOW_ALL, gatehouseCall, openBed } from './bed.ts';
import { listen } from './netBed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

test('VC-51 every headless host answers a question with the same words', async () => {
  using bed = openBed();
  const input = { questions: [{ question: 'Which?' }] };
  await using session = openSession(bed);
  const first = errorOf((await gatehouseCall(bed, 'question', input)).envelope);
  const second = errorOf(await session.call('question', input));
  assert.equal(first, second);
  assert.equal(first, HEADLESS_ANSWER);
});

test('VC-52 each question has its answers, in order', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    ask: async () => ({ outcome: 'cancelled' }),
    services: { askQuestions: async () => ({ ok: true, data: [['a'], ['b', 'c']] }) },
  });
  const options = [{ label: 'b' }, { label: 'c' }];
  const questions = [{ question: 'One?' }, { question: 'Two?', options, multi_select: true }];
  assert.deepEqual(dataOf(await session.call('question', { questions })), {
    answers: [['a'], ['b', 'c']],
  });
});

test('two options with the same label are an error, because an answer would be ambiguous', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    services: { askQuestions: async () => assert.fail('nobody is asked') },
  });
  const options = [{ label: 'A' }, { label: 'B' }, { label: 'A' }];
  const questions = [{ question: 'One?' }, { question: 'Two?', header: '', options }];
  assert.match(errorOf(await session.call('question', { questions })), /the label "A". Give each/);
});

test('VC-53 no question is a schema error', async () => {
  using bed = openBed();
  await using session = openSession(bed);
  assert.match(
    errorOf(await session.call('question', { questions: [] })),
    /questions must NOT have fewer/,
  );
});

test('VC-54 an abort ends a waiting question, and the surface is told by the same signal', async () => {
  using bed = openBed();
  const abort = new AbortController();
  let told = false;
  await using session = openSession(bed, {
    services: {
      askQuestions: (_questions, signal) => {
        signal.addEventListener('abort', () => {
          told = true;
        });
        queueMicrotask(() => abort.abort());
        return new Promise(() => undefined);
      },
    },
  });
  const input = { questions: [{ question: 'Which?' }] };
  assert.match(errorOf(await session.call('question', input, abort.signal)), /cancelled/);
  assert.ok(told);
});

test('VC-67 the 26th search of a session says that the quota is used up', async () => {
  using bed = openBed();
  const server = createServer((_request, response) => response.end('{"results":[]}'));
  await using session = openSession(bed, { rules: ALLOW_ALL, services: await searching(server) });
  for (let n = 0; n < 25; n += 1) dataOf(await session.call('web_search', { query: 'x' }));
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /quota of 25/);
  server.close();
});

test('VC-68 a provider that hangs is an error at the time limit', async () => {
  using bed = openBed();
  const server = createServer(() => undefined);
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    limits: { webSearchTimeoutMs: 300 },
    services: await searching(server),
  });
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /within 300 ms/);
  server.closeAllConnections();
  server.close();
});

test('VC-69 a session keeps its provider, and sessions differ', async () => {
  using bed = openBed();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url?.split('/')[1] ?? '');
    response.end('{"results":[]}');
  });
  const port = await listen(server);
  const providers = ['one', 'two'].map((name) => ({
    id: 'searxng' as const,
    baseUrl: `http://127.0.0.1:${port}/${name}`,
  }));
  const used = new Set<string>();
  for (let n = 0; n < 12; n += 1) {
    await using session = openSession(bed, {
      id: `session-${n}`,
      rules: ALLOW_ALL,
      services: { searchProviders: async () => providers },
    });
    asked.length = 0;
    for (let call = 0; call < 2; call += 1)
      dataOf(await session.call('web_search', { query: 'x' }));
    assert.equal(new Set(asked).size, 1);
    used.add(asked[0] ?? '');
  }
  assert.deepEqual([...used].sort(), ['one', 'two']);
  server.close();
});

async function searching(server: Server) {
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  return { searchProviders: async () => [{ id: 'searxng' as const, baseUrl }] };
}

/** The rows of the tools that are built; `task`, `skill` and `tool_search` follow with theirs. */
const KINDS: readonly (readonly [string, Tool['kind']])[] = [
  ['read', 'read'],
  ['write', 'edit'],
  ['edit', 'edit'],
  ['glob', 'search'],
  ['grep', 'search'],
  ['bash', 'execute'],
  ['todo', 'other'],
  ['question', 'other'],
  ['web_search', 'fetch'],
  ['web_fetch', 'fetch'],
];

for (const [id, kind] of KINDS) {
  test(`VC-80 ${id} is of kind ${kind}`, () => {
    assert.equal(lockedTools([]).find((tool) => tool.id === id)?.kind, kind);
  });
}
