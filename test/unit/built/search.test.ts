import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { fields, makeBed, newSession, open, takeTurn } from './session.ts';

test('VC-67, C-28 the 26th search of a session is refused, also after a restart of the host', async (t) => {
  const provider = await startProvider(t);
  const settings = {
    'gatehouse.webSearch.providers': ['searxng'],
    'gatehouse.webSearch.searxngUrl': provider.url,
    'gatehouse.permissions': [{ permission: '*', pattern: '**', action: 'allow' }],
  };
  const bed = await makeBed(t, { settings });
  const calls = Array.from({ length: 25 }, (_, nth) => ({
    tool: 'web_search',
    input: { query: `question ${nth}`, max_results: 1 },
    id: `c${nth}`,
  }));
  const first = await open(t, bed, { script: [{ calls }, { text: 'Done.' }] });
  const sessionId = await newSession(first, bed);
  const { results } = await takeTurn(first, sessionId);
  const found = { title: 'A', url: 'https://a.example/', snippet: 'b' };
  assert.deepEqual(
    results.map((each) => fields(each)['data']),
    calls.map(() => ({ results: [found] })),
  );
  first.child.kill('SIGTERM');
  await first.exit;

  const input = { query: 'one more' };
  const script = [{ calls: [{ tool: 'web_search', input, id: 'd' }] }, { text: 'Done.' }];
  const next = await open(t, bed, { script });
  const loaded = { sessionId, cwd: bed.workspace, mcpServers: [] };
  assert.equal((await next.request('session/load', loaded)).error, undefined);
  const last = fields((await takeTurn(next, sessionId)).results.at(-1));
  assert.match(String(last['error_text']), /^The quota of 25 searches in this session is used up/);
  assert.equal(provider.asked.length, 25);
});

async function startProvider(t: TestContext) {
  const asked: string[] = [];
  const results = [{ title: 'A', url: 'https://a.example/', content: 'b' }];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ results }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
