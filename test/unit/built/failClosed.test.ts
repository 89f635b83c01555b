import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MB } from '../../../src/base/units.ts';
import { promptOf } from '../host/stdioHost.ts';
import { type Files, gatehouse, place } from './program.ts';
import {
  agentcli,
  compozy,
  converse,
  fields,
  makeBed,
  newSession,
  open,
  runloop,
} from './session.ts';

// What can't be read, or is not what was accepted, through the built `gatehouse acp`, `check` and `accept`.

const X = { tool: 'shop_x' };

for (const [what, damage] of [
  ['in UTF-16', (file: string) => writeFileSync(file, Buffer.from('\ufeff{}', 'utf16le'))],
  ['cut off', (file: string) => writeFileSync(file, '{"a": [')],
  ['a folder', (file: string) => void mkdirSync(file)],
] as const) {
  test(`a store of acceptances that is ${what} accepts nothing, and accept fails and keeps it`, async (t) => {
    const bed = await makeBed(t, { files: agentcli('echo 1') });
    const store = path.join(bed.data, 'state/accepted.json');
    rmSync(store);
    damage(store);
    const before = what === 'a folder' ? undefined : readFileSync(store);
    const { code, stdout, stderr } = await gatehouse(['accept', '.'], {
      cwd: bed.workspace,
      env: { GATEHOUSE_DATA: bed.data },
    });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^gatehouse accept: \S+accepted\.json (?:cannot be read|is damaged)[^\n]*\n$/,
    );
    if (before !== undefined) assert.deepEqual(readFileSync(store), before);
    const { offered } = await converse(t, bed);
    assert.deepEqual([offered.includes('shop_x'), offered.includes('read')], [false, true]);
  });
}

test('user settings and an override that are in UTF-16 allow nothing', async (t) => {
  const allow = [{ permission: '*', pattern: '**', action: 'allow' }];
  const bed = await makeBed(t, {
    files: runloop('echo 1'),
    settings: { 'gatehouse.permissions': allow },
  });
  const edit = { tool: 'bash', input: { command: 'touch made' } };
  const free = await converse(t, bed, { calls: [edit] });
  assert.deepEqual([free.asks.length, free.offered.includes('shop_x')], [0, true]);
  const settings = path.join(bed.data, 'settings.json');
  const text = readFileSync(settings, 'utf8');
  writeFileSync(settings, Buffer.from(`\ufeff${text}`, 'utf16le'));
  await place(bed.data, { 'caps/overrides/shop.toml': '' });
  const override = Buffer.from('\ufeff[capabilities]\nexec = true\n', 'utf16le');
  writeFileSync(path.join(bed.data, 'caps/overrides/shop.toml'), override);
  const { asks, results, offered } = await converse(t, bed, { calls: [edit] });
  assert.equal(offered.includes('shop_x'), false);
  const refused = fields(results[0])['type'] === 'error';
  assert.ok(asks.length === 1 || refused, JSON.stringify(results));
});

test('a turn can be cancelled while a large program is hashed', async (t) => {
  const bed = await makeBed(t, { files: agentcli('echo 1') });
  const file = path.join(bed.workspace, 'shop/tools/bin/x');
  // Sparse, as long as a hash may be.
  truncateSync(file, 512 * MB);
  const host = await open(t, bed);
  const sessionId = await newSession(host, bed);
  const turn = host.request('session/prompt', promptOf(sessionId));
  host.send({ method: 'session/cancel', params: { sessionId } });
  assert.deepEqual((await turn).result, { stopReason: 'cancelled' });
  assert.equal(host.model.requests.length, 0);
});

const LATIN = "printf 'caf\\351'";

test('output that is not UTF-8 is said, and bad bytes reach nobody as text', async (t) => {
  for (const files of [agentcli(LATIN), runloop(LATIN)]) {
    const bed = await makeBed(t, { files });
    const { results } = await converse(t, bed, { calls: [X] });
    assert.match(JSON.stringify(results[0]), /not valid UTF-8/);
  }
});

test('output that is nested too deeply is passed on as text, or is an error that says so', async (t) => {
  const levels = 200_000;
  const deep = `head -c ${levels} /dev/zero | tr '\\0' '['; head -c ${levels} /dev/zero | tr '\\0' ']'`;
  const all: unknown[] = [];
  const body = `process.stdout.write('['.repeat(${levels}) + ']'.repeat(${levels})); process.exit()`;
  for (const files of [agentcli(deep), runloop(deep), compozy(body)]) {
    const bed = await makeBed(t, { files });
    all.push(...(await converse(t, bed, { calls: [X] })).results);
  }
  const [text, ...errors] = all.map((each) => fields(each));
  assert.match(JSON.stringify(text), /\[{1000}/);
  const [inRunloop, inCompozy] = errors.map(({ error_text }) => String(error_text));
  assert.match(String(inRunloop), /it is nested deeper than 500 levels/);
  assert.match(String(inCompozy), /non-JSON output, indicating a potential error or malformed/);
});

test('an edited call reaches the program as the edit, not as what the model wrote', async (t) => {
  const bed = await makeBed(t, { files: agentcli('cat > got; cat got') });
  const calls = [{ tool: 'shop_x', input: '{"b": 12345678901234567890, "a": 1}' }];
  const asked = await converse(t, bed, { calls });
  const verbatim = readFileSync(path.join(bed.workspace, 'got'), 'utf8');
  assert.equal(verbatim, '{"b": 12345678901234567890, "a": 1}', JSON.stringify(asked.results));
  // The edited call is asked about again.
  const answerMeta = (nth: number) => (nth === 0 ? { editedInput: { a: 2 } } : undefined);
  const edited = await converse(t, bed, { calls, answerMeta });
  assert.equal(edited.asks.length, 2);
  assert.equal(readFileSync(path.join(bed.workspace, 'got'), 'utf8'), '{"a":2}');
});

test("C-58 the watchdog is given the definition of the session's agent, and the call", async (t) => {
  const bed = await makeBed(t, {
    dataFiles: { 'agents/docs.md': '---\ndescription: Docs.\ntools: [todo]\n---\nYou write.\n' },
  });
  const line = `cat > '${bed.data}/given'; echo '{"verdict":"deny","reason":"not now"}'`;
  const settings = {
    'gatehouse.watchdog.command': ['sh', '-c', line],
    'gatehouse.limits.watchdogMs': 60_000,
  };
  await place(bed.data, { 'settings.json': settings });
  const calls = [{ tool: 'todo', input: { items: [] } }];
  const { results } = await converse(t, bed, { calls, meta: { agent: 'docs' } });
  assert.match(String(fields(results[0])['error_text']), /not now/);
  const { tool, input, manifest } = JSON.parse(readFileSync(path.join(bed.data, 'given'), 'utf8'));
  assert.deepEqual([tool, input, manifest.name], ['todo', { items: [] }, 'docs']);
});

/** The tool `fetch` in a folder `web`, which would be imported as `web_fetch`. */
const RESERVED: Readonly<Record<string, (workspace: string) => Files>> = {
  agentcli: () => ({
    'web/tools.json': { tools: [{ name: 'fetch', command: ['./tools/bin/x'] }] },
    'web/tools/bin/x': '#!/bin/sh\necho 1\n',
  }),
  runloop: (workspace) => {
    const transport = { kind: 'exec', command: path.join(workspace, 'x') };
    const schemas = { input_schema: {}, result_schema: {} };
    const tools = [{ id: 'fetch', description: 'd', transport, ...schemas }];
    return {
      'web/tools.json': { version: 1, tools },
      'web/policy.caps': '[capabilities]\nexec = true\n',
      x: '#!/bin/sh\necho 1\n',
    };
  },
  compozy: () => ({
    'web/compozy.yaml': { name: 'web' },
    'web/fetch.yaml': { resource: 'tool', id: 'fetch' },
    'web/tools.ts': 'export const fetch = () => ({});\n',
  }),
};

for (const [dialect, files] of Object.entries(RESERVED)) {
  test(`${dialect}: an id of a locked tool is refused by check, accept and the session alike`, async (t) => {
    const bed = await makeBed(t, { dataFiles: {} });
    await place(bed.workspace, files(bed.workspace));
    const run = (command: string) =>
      gatehouse([command, '.'], { cwd: bed.workspace, env: { GATEHOUSE_DATA: bed.data } });
    const check = await run('check');
    assert.match(check.stdout, /reserved for a built-in tool/);
    assert.deepEqual([check.code, (await run('accept')).code], [1, 1]);
    const { offered } = await converse(t, bed);
    assert.equal(offered.filter((id) => id === 'web_fetch').length, 1, offered.join());
  });
}
