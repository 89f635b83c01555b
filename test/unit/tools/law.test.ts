import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { ALLOW_ALL, openBed } from './bed.ts';
import { listen, openNetBed } from './netBed.ts';
import { dataOf, openSession } from './session.ts';

/** What each locked tool needs: families, which take the definition's scope, and own patterns. */
const NEEDS: Readonly<Record<string, object>> = {
  read: { families: ['fs.read'] },
  write: { families: ['fs.write'] },
  edit: { families: ['fs.read', 'fs.write'] },
  glob: { families: ['fs.read'] },
  grep: { families: ['fs.read'] },
  bash: { families: ['shell'] },
  todo: {},
  question: {},
  tool_search: {},
  web_fetch: { families: ['net'] },
  web_search: { net: { hosts: ['search.example'] } },
};

for (const [id, needs] of Object.entries(NEEDS)) {
  test(`C-10 ${id} declares what it needs, and no more`, () => {
    const tool = lockedTools(['search.example']).find((each) => each.id === id);
    assert.deepEqual(tool?.requires, needs);
  });
}

test('C-16 a command starts anew each time: no folder, variable or function lasts', async () => {
  using bed = openBed();
  await using session = openSession(bed, { ask: async () => ({ outcome: 'allow' }) });
  dataOf(await session.call('bash', { command: 'cd /; X=1; export X; f() { :; }' }));
  const command = 'pwd; echo "[$X]"; type f 2>/dev/null || echo none';
  const { output } = dataOf(await session.call('bash', { command }));
  assert.match(String(output), /\/work\n\[\]\nnone\n$/);
});

test('C-48 the numbers are those of the law', () => {
  const { readBytes, bashBytes, webFetchBytes, globEntries, grepMatches } = DEFAULT_LIMITS;
  assert.deepEqual([readBytes, bashBytes, webFetchBytes], [204_800, 204_800, 204_800]);
  assert.deepEqual([globEntries, grepMatches], [1000, 200]);
  const { webSearchCalls, webSearchTimeoutMs, bashTimeoutMs } = DEFAULT_LIMITS;
  assert.deepEqual([webSearchCalls, webSearchTimeoutMs, bashTimeoutMs], [25, 15_000, 120_000]);
});

for (const [bytes, cut] of [
  [204_800, undefined],
  [204_801, true],
] as const) {
  test(`C-48 a page of ${bytes} bytes of text is ${cut ? 'cut' : 'whole'}`, async () => {
    using bed = openBed();
    await using net = await openNetBed({
      answer: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(bytes));
      },
    });
    await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { net: net.hooks } });
    const envelope = await session.call('web_fetch', { url: 'http://docs.example/' });
    const { head, content } = dataOf(envelope);
    assert.equal(String(head ?? content).length, 204_800);
    assert.equal(envelope.metadata.truncated, cut);
  });
}

test('C-28 no more results come than were asked for, each with title, URL and snippet', async () => {
  using bed = openBed();
  const rows = [
    { title: 'A', url: 'http://a/', content: 'a' },
    null,
    { title: 5, url: 'http://b/' },
  ];
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ results: [...rows, ...rows] }));
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  const searchProviders = async () => [{ id: 'searxng' as const, baseUrl }];
  await using session = openSession(bed, { rules: ALLOW_ALL, services: { searchProviders } });
  const call = (max_results: number) => session.call('web_search', { query: 'x', max_results });
  assert.deepEqual(dataOf(await call(1))['results'], [
    { title: 'A', url: 'http://a/', snippet: 'a' },
  ]);
  assert.deepEqual(dataOf(await call(3))['results'], [
    { title: 'A', url: 'http://a/', snippet: 'a' },
    { title: '', url: 'http://b/', snippet: '' },
    { title: 'A', url: 'http://a/', snippet: 'a' },
  ]);
  server.close();
});
