import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { ALLOW_ALL, openBed } from './bed.ts';
import { listen, openNetBed } from './netBed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

for (const { id, description, parameters } of lockedTools(['search.example'])) {
  test(`CS-104 ${id} says what it does and when another tool is better, and takes no configuration`, () => {
    assert.match(description, /^[A-Z][a-z]+ [^.]{10,}/);
    assert.ok(description.length > 100, description);
    const names = Object.keys(Object(parameters)['properties'] ?? {});
    // `timeout_ms` of a command is the model's own; the limits of the host are no arguments.
    const limits = Object.keys(DEFAULT_LIMITS).map((name) => name.toLowerCase());
    const plain = names.map((name) => name.replaceAll('_', '').toLowerCase());
    assert.deepEqual(
      plain.filter((name) => limits.includes(name) || /key|token|endpoint|provider/.test(name)),
      [],
    );
  });
}

test('CS-104 a change is acknowledged, and its text is not sent back', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const text = `${'a line of the file\n'.repeat(200)}`;
  const written = dataOf(await session.call('write', { path: 'a.txt', content: text }));
  const input = { path: 'a.txt', old_string: text, new_string: text.replaceAll('line', 'row') };
  const edited = dataOf(await session.call('edit', input));
  const items = [{ content: 'Look at a line of the file', status: 'pending' }];
  const listed = dataOf(await session.call('todo', { items }));
  for (const answer of [written, edited, listed]) {
    assert.doesNotMatch(JSON.stringify(answer), /of the file/);
    assert.ok(JSON.stringify(answer).length < 400, JSON.stringify(answer));
  }
});

test('CS-104 bad input, what is unavailable and what failed elsewhere are told apart, with what helps', async (t) => {
  using bed = openBed();
  const backend = createServer((_request, response) => {
    response.writeHead(503).end('down');
  });
  t.after(() => backend.close());
  const baseUrl = `http://127.0.0.1:${await listen(backend)}`;
  await using net = await openNetBed({
    answer: (_request, response) => void response.writeHead(500).end('broken'),
  });
  const searchProviders = async () => [{ id: 'searxng' as const, baseUrl }];
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    runtime: { net: net.hooks },
    services: { searchProviders },
  });
  const fails = async (tool: string, input: object) => errorOf(await session.call(tool, input));
  assert.match(
    await fails('read', { path: 'a.txt', file: 'a.txt' }),
    /must not have the property "file".*path/,
  );
  assert.match(await fails('read', { path: 'none.txt' }), /none\.txt.*(does not exist|glob)/s);
  assert.match(
    await fails('edit', { path: 'none.txt', old_string: 'a', new_string: 'b' }),
    /does not exist/,
  );
  assert.match(await fails('web_fetch', {}), /required property 'url'/);
  assert.match(await fails('web_fetch', { url: 'http://docs.example/' }), /answered 500/);
  assert.match(await fails('web_search', { query: 'gates' }), /503/);
});
