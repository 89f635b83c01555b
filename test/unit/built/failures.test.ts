import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { MB } from '../../../src/base/units.ts';
import { gatehouse } from './program.ts';
import {
  agentcli,
  type Bed,
  type BedSetUp,
  compozy,
  converse,
  fields,
  makeBed,
  newSession,
  open,
  runloop,
  takeTurn,
} from './session.ts';

// How failures of declared tools reach the model, through the built `gatehouse acp`.

test('VA-25 a call of a tool that nobody has', async (t) => {
  const bed = await makeBed(t, { files: agentcli('echo 1') });
  const { results } = await converse(t, bed, { calls: [{ tool: 'nope' }] });
  assert.deepEqual(results, [{ error: 'unknown tool: nope' }]);
});

test('a tool that is gone says why, and its earlier failure keeps its shape', async (t) => {
  const bed = await makeBed(t, { files: agentcli('echo bad >&2; exit 3') });
  const call = (id: string) => ({ calls: [{ tool: 'shop_x', input: {}, id }] });
  const script = [
    call('a'),
    { text: 'One.' },
    call('b'),
    { text: 'Two.' },
    call('c'),
    { text: '3' },
  ];
  const host = await open(t, bed, { script });
  const sessionId = await newSession(host, bed);
  const first = await takeTurn(host, sessionId);
  const failed = { error: 'bad' };
  assert.deepEqual(first.results, [failed]);
  const manifest = path.join(bed.workspace, 'shop/tools.json');
  await writeFile(manifest, `${await readFile(manifest, 'utf8')}\n`);
  const second = await takeTurn(host, sessionId);
  const changed =
    'unknown tool: shop_x. You have not accepted the current version of this manifest.';
  assert.deepEqual(second.results, [failed, { error: changed }]);
  await rm(manifest);
  const third = await takeTurn(host, sessionId);
  const gone =
    'unknown tool: shop_x. It was here earlier in this session, and no manifest declares it now.';
  assert.deepEqual(third.results, [failed, { error: changed }, { error: gone }]);
});

test('a tool that the user disabled, and one that the agent does not have, say so', async (t) => {
  const bed = await makeBed(t, {
    files: agentcli('echo 1'),
    dataFiles: { 'agents/reader.md': '---\ndescription: Reads.\ntools: [read]\n---\nYou read.\n' },
    settings: { 'gatehouse.tools.disabled': ['shop_x'] },
  });
  const disabled = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.deepEqual(disabled.results, [{ error: 'unknown tool: shop_x. The user disabled it.' }]);
  const reader = await converse(t, bed, { calls: [{ tool: 'bash' }], meta: { agent: 'reader' } });
  assert.deepEqual(reader.results, [
    { error: 'unknown tool: bash. The agent "reader" does not have it.' },
  ]);
});

for (const [dialect, files] of [
  ['agentcli', agentcli('yes 0123456789')],
  ['Runloop', runloop('yes 0123456789')],
  [
    'Compozy',
    compozy(
      'process.stdout.write("0123456789\\n".repeat(2e6)); await new Promise(() => undefined)',
    ),
  ],
] as const) {
  test(`a flood of ${dialect} is cut, and all that was kept is in a file`, async (t) => {
    const { content, bed } = await callX(t, files);
    assert.ok(
      JSON.stringify(content).length < 4096,
      `${JSON.stringify(content).length} characters`,
    );
    assert.match(JSON.stringify(content), /exceeds maximum size limit of 10485760 bytes/);
    assert.equal((await readOutput(content, bed)).length, 10 * MB);
  });
}

test('output of more than 200 KB is cut, and the whole is in a file', async (t) => {
  const { content, bed } = await callX(t, agentcli('yes x | head -c 400000'));
  assert.ok(JSON.stringify(content).length < 420_000);
  assert.equal((await readOutput(content, bed)).length, 400_000 - 1);
});

for (const [dialect, files] of [
  ['agentcli', agentcli('yes no | head -c 5000 >&2; exit 1')],
  ['Runloop', runloop('yes no | head -c 5000 >&2; exit 1')],
  ['Compozy', compozy('throw new Error("no\\n".repeat(1667).slice(0, 5000))')],
  ['Compozy by its result', compozy('return { error: "no\\n".repeat(1667).slice(0, 5000) }')],
] as const) {
  test(`a long failure of ${dialect} is cut, and the whole is in a file`, async (t) => {
    const { content, bed } = await callX(t, files);
    assert.ok(JSON.stringify(content).length < 2500);
    assert.equal((await readOutput(content, bed)).toString(), 'no\n'.repeat(1667).slice(0, 5000));
  });
}

async function callX(t: TestContext, files: BedSetUp['files'] = {}) {
  const bed = await makeBed(t, { files });
  const { results, offered } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.ok(offered.includes('shop_x'), offered.join());
  return { content: fields(results[0]), bed };
}

/** The file that a result names, which the session may read. */
async function readOutput(content: Readonly<Record<string, unknown>>, bed: Bed): Promise<Buffer> {
  const file = String(content['output_path'] ?? fields(content['metadata'])['output_path']);
  assert.ok(file.startsWith(bed.data), JSON.stringify(content).slice(0, 600));
  return readFile(file);
}

test('a call from a script says why a tool is not there', async (t) => {
  const bed = await makeBed(t, { files: agentcli('echo 1') });
  const manifest = path.join(bed.workspace, 'shop/tools.json');
  await writeFile(manifest, `${await readFile(manifest, 'utf8')}\n`);
  const words = ['call', 'shop_x', '{}', '--workspace', bed.workspace, '--user-data', bed.data];
  const { code, stdout } = await gatehouse(words, { cwd: bed.root });
  assert.equal(code, 1);
  assert.equal(
    JSON.parse(stdout).error_text,
    'unknown tool: shop_x. You have not accepted the current version of this manifest.',
  );
});
