import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { openAcceptances } from '../../../src/host/config/acceptance.ts';
import { createAcceptedTools } from '../../../src/mcp/acceptedTools.ts';
import { toResult } from '../../../src/mcp/tools/content.ts';
import { cpuTime } from '../cpuTime.ts';
import { temporary } from '../host/harness.ts';
import { hostile } from './source.ts';

const SERVER = { ...hostile('error'), origin: 'settings', file: '/absent/settings' } as const;
const schema = { type: 'object' } as const;

function toTools(count: number, description: string) {
  return Array.from({ length: count }, (_, at) => ({
    ...{ name: `t${at}`, description, inputSchema: schema },
  }));
}

test('a thousand tools are accepted at once, in one write', async (t) => {
  const store = openAcceptances(path.join(await temporary(t), 'accepted.json'));
  let writes = 0;
  const acceptAll: typeof store.acceptAll = (...all) => {
    writes += 1;
    store.acceptAll(...all);
  };
  const accepted = createAcceptedTools({ ...store, acceptAll });
  const tools = toTools(1000, 'a');
  accepted.expect(SERVER, 'list', tools);
  const find = () => new Set(tools.map((tool) => accepted.find(SERVER, tool)));
  assert.deepEqual([...find()], ['new']);
  store.accept(SERVER.file, 'list', true);
  assert.deepEqual([...find()], ['accepted']);
  assert.equal(writes, 1);
  assert.equal(
    accepted.find(SERVER, { name: 't1', description: 'b', inputSchema: schema }),
    'changed',
  );
});

test('a server that sends list after list fills no memory, and the newest can be accepted', async (t) => {
  const store = openAcceptances(path.join(await temporary(t), 'accepted.json'));
  const accepted = createAcceptedTools(store);
  for (let at = 0; at < 200; at++) accepted.expect(SERVER, `list ${at}`, toTools(1, `v${at}`));
  for (const at of [0, 199]) store.accept(SERVER.file, `list ${at}`, true);
  const find = (description: string) =>
    accepted.find(SERVER, { name: 't0', description, inputSchema: schema });
  assert.deepEqual([find('v0'), find('v199')], ['changed', 'accepted']);
  const spent = await cpuTime(() => toTools(1000, 'w').map((tool) => accepted.find(SERVER, tool)));
  assert.ok(spent < 2_000, `${spent} ms`);
});

test('a result of thousands of pictures stores a hundred of them, and says so', async () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
  const content = Array.from({ length: 3000 }, () => image);
  let written = 0;
  const write = async () => {
    written += 1;
    return { ok: true, data: `/f${written}` } as const;
  };
  const result = await toResult({ content }, { write });
  assert.equal(written, 100);
  assert.match(result.ok ? result.data.content : '', /a result has 100 files at most/);
});
