import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Emitter } from '../../../src/base/event.ts';
import { lockedSource } from '../../../src/tools/locked/lockedSource.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { createToolCatalog } from '../../../src/tools/toolCatalog.ts';
import type { SourceSession, ToolOffer, ToolSource } from '../../../src/tools/toolSource.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { fakeTool } from './session.ts';

const SESSION: SourceSession = {
  id: 's1',
  agent: 'gatehouse',
  folders: ['/w'],
  trusted: true,
  searchHosts: [],
  timeoutMs: 1000,
  schemaMs: 1000,
  confirmExternalActions: true,
};

const LOCKED = lockedTools([]).map(({ id }) => id);

/** A source that counts what it is asked, and offers one tool named after the count. */
function createSource(
  id: string,
  answer: (count: number, request: SourceSession) => Promise<Partial<ToolOffer>> = async () => ({}),
) {
  const changed = new Emitter<void>();
  const requests: SourceSession[] = [];
  const source: ToolSource = {
    id,
    onDidChange: changed.event,
    async tools(request) {
      requests.push(request);
      const count = requests.length;
      const tools = [{ tool: fakeTool({ id: `${id}_${count}` }) }];
      return { tools, notOffered: [], pending: [], ...(await answer(count, request)) };
    },
  };
  return { source, requests, changed };
}

test('a source is asked once for each session, and again when what a session depends on changes', async () => {
  const { source, requests } = createSource('mcp');
  using catalog = open([source]);
  const ids = async (session: SourceSession) =>
    (await catalog.get(session)).registry.list().map(({ id }) => id);
  assert.deepEqual(await ids(SESSION), ['mcp_1']);
  assert.deepEqual(await ids({ ...SESSION }), ['mcp_1']);
  assert.deepEqual(await ids({ ...SESSION, id: 's2' }), ['mcp_2']);
  assert.deepEqual(await ids({ ...SESSION, trusted: false }), ['mcp_3']);
  assert.deepEqual(
    requests.map(({ id, trusted }) => [id, trusted]),
    [
      ['s1', true],
      ['s2', true],
      ['s1', false],
    ],
  );
});

test('the same tools are the same object, so that what is made of them can be kept', async () => {
  const { source } = createSource('mcp');
  using catalog = open([lockedSource, source]);
  const first = await catalog.get(SESSION);
  assert.equal(await catalog.get(SESSION), first);
  const hidden = await catalog.get(SESSION, ['mcp_1']);
  assert.equal(hidden.registry.get('mcp_1'), undefined);
  assert.ok(first.registry.get('mcp_1'), 'switching a tool off does not ask its source again');
});

test('a change of one source asks it again for every session, and nobody else', async () => {
  const mcp = createSource('mcp');
  const other = createSource('other');
  using catalog = open([mcp.source, other.source]);
  let heard = 0;
  catalog.onDidChange(() => heard++);
  for (const id of ['s1', 's2']) await catalog.get({ ...SESSION, id });
  mcp.changed.fire();
  for (const id of ['s1', 's2']) await catalog.get({ ...SESSION, id });
  assert.deepEqual([mcp.requests.length, other.requests.length, heard], [4, 2, 1]);
});

test('an offer that no longer holds, or cannot tell, is asked for again', async () => {
  const answers = [async () => true, async () => false, () => Promise.reject(new Error('gone'))];
  const checks: number[] = [];
  const { source, requests } = createSource('files', async (count) => ({
    isCurrent: () => {
      checks.push(count);
      return answers[checks.length - 1]?.() ?? Promise.resolve(true);
    },
  }));
  using catalog = open([source]);
  for (let turn = 0; turn < 5; turn++) await catalog.get(SESSION);
  assert.deepEqual(checks, [1, 1, 2, 3]);
  assert.equal(requests.length, 3);
});

test('a source that throws is listed with its reason, the others go on, and it is tried again', async () => {
  const { source } = createSource('mcp', async (count) => {
    if (count === 1) throw new Error('The server is not there.');
    return {};
  });
  using catalog = open([lockedSource, source]);
  const failed = await catalog.get(SESSION);
  assert.deepEqual(
    failed.registry.list().map(({ id }) => id),
    LOCKED,
  );
  const why = 'The tools of "mcp" are not offered. The server is not there.';
  assert.deepEqual(failed.notOffered, [{ id: 'mcp', source: 'mcp', why }]);
  const mended = await catalog.get(SESSION);
  assert.deepEqual([mended.registry.get('mcp_2')?.id, mended.notOffered], ['mcp_2', []]);
});

test('a source that throws before it returns a promise takes nobody down either', async () => {
  const source: ToolSource = {
    id: 'mcp',
    onDidChange: () => ({ dispose: () => undefined }),
    tools: () => {
      throw new Error('No.');
    },
  };
  using catalog = open([lockedSource, source]);
  const { registry, notOffered } = await catalog.get(SESSION);
  assert.deepEqual([registry.list().length, notOffered.length], [LOCKED.length, 1]);
});

test('a hanging source delays only the first turn, up to its time limit', async () => {
  const clock = createManualClock();
  const answer = Promise.withResolvers<Partial<ToolOffer>>();
  const { source, requests } = createSource('mcp', () => answer.promise);
  using catalog = open([lockedSource, source], { clock, waitMs: 5000 });
  const first = catalog.get(SESSION);
  await setImmediate();
  clock.advance(5000);
  const late = await first;
  assert.deepEqual(
    late.registry.list().map(({ id }) => id),
    LOCKED,
  );
  assert.match(late.notOffered[0]?.why ?? '', /"mcp".*did not respond within 5 seconds/);
  const second = await catalog.get(SESSION);
  assert.deepEqual([second.notOffered.length, requests.length], [1, 1]);
  answer.resolve({});
  await setImmediate();
  const third = await catalog.get(SESSION);
  assert.deepEqual([third.registry.get('mcp_1')?.id, third.notOffered], ['mcp_1', []]);
  assert.equal(requests.length, 1);
});

test('a turn waits longer than 5 seconds for a source whose servers may take longer to start', async () => {
  const clock = createManualClock();
  const hang = () => new Promise<never>(() => undefined);
  const servers: ToolSource = {
    ...createSource('mcp', hang).source,
    act: async () => ({ ok: true, data: undefined }),
  };
  const { source: other } = createSource('declared', hang);
  const mcp = { configured: {}, servers: [], startMs: 9000 };
  using without = open([lockedSource, other], { clock, waitMs: 5000 });
  const early = without.get({ ...SESSION, mcp });
  using catalog = open([lockedSource, servers], { clock, waitMs: 5000 });
  let ended = false;
  const first = catalog.get({ ...SESSION, mcp }).finally(() => (ended = true));
  await setImmediate();
  clock.advance(5000);
  assert.match((await early).notOffered[0]?.why ?? '', /did not respond within 5 seconds/);
  clock.advance(4999);
  await setImmediate();
  assert.equal(ended, false);
  clock.advance(1);
  assert.match((await first).notOffered[0]?.why ?? '', /did not respond within 10 seconds/);
});

test('what a source answers after it changed does not count', async () => {
  const answers = [Promise.withResolvers<Partial<ToolOffer>>()];
  const { source, changed } = createSource('mcp', (count) =>
    Promise.resolve(answers[count - 1]?.promise ?? {}),
  );
  using catalog = open([source]);
  const before = catalog.get(SESSION);
  changed.fire();
  const after = catalog.get(SESSION);
  answers[0]?.resolve({});
  await before;
  assert.deepEqual(
    (await after).registry.list().map(({ id }) => id),
    ['mcp_2'],
  );
  assert.ok((await catalog.get(SESSION)).registry.get('mcp_2'));
});

test('what is kept for a session goes with it', async () => {
  const { source, requests } = createSource('mcp');
  using catalog = open([source]);
  await catalog.get(SESSION);
  catalog.drop('s1');
  await catalog.get(SESSION);
  assert.equal(requests.length, 2);
});

function open(...parameters: Parameters<typeof createToolCatalog>) {
  const catalog = createToolCatalog(...parameters);
  return { ...catalog, [Symbol.dispose]: () => catalog.dispose() };
}
