import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { importedId } from '../../../src/declared/manifest/parseIds.ts';
import { type Files, gatehouse } from './program.ts';
import { type Bed, converse, makeBed, runloop, toManifest } from './session.ts';

/** A session that called the bundle's tool twice; the second time it failed. */
async function record(t: TestContext) {
  const script = 'test -e "$0.ran" && { echo bad >&2; exit 3; }; touch "$0.ran"; echo \'{"n":1}\'';
  const bed = await makeBed(t, { files: runloop(script) });
  const calls = [
    { tool: 'shop_x', input: { a: 1 } },
    { tool: 'read', input: { path: 'none' } },
    { tool: 'shop_x', input: { a: 2 } },
  ];
  const { host, sessionId } = await converse(t, bed, { calls });
  host.child.kill('SIGTERM');
  await host.exit;
  const ran = path.join(bed.workspace, 'shop/bin/x.ran');
  assert.ok(existsSync(ran));
  await rm(ran);
  return { bed, sessionId, ran };
}

function replay({ workspace, data }: Bed, ...words: readonly string[]) {
  // Without PATH nothing could be started by name.
  const env = { GATEHOUSE_DATA: data, PATH: '/nonexistent' };
  return gatehouse(['replay', ...words], { cwd: workspace, env });
}

test('VD-31 two replays give equal outputs and run nothing', async (t) => {
  const { bed, sessionId, ran } = await record(t);
  const first = await replay(bed, sessionId, 'shop');
  assert.deepEqual([first.code, first.stderr], [0, '']);
  const lines = first.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ tool, input, output }) => [tool, input, output.data ?? output.error_text]),
    [
      ['x', { a: 1 }, { n: 1 }],
      ['x', { a: 2 }, 'exit status 3: bad'],
    ],
  );
  assert.deepEqual(await replay(bed, sessionId, 'shop'), first);
  assert.equal(existsSync(ran), false);
});

test('VD-30 a tool that is no longer in the bundle is flagged, and not called', async (t) => {
  const { bed, sessionId, ran } = await record(t);
  const file = path.join(bed.workspace, 'shop/tools.json');
  const document = (await readFile(file, 'utf8')).replace('"id":"x"', '"id":"y"');
  await writeFile(file, document);
  await writeFile(path.join(bed.workspace, 'shop/manifest.toml'), toManifest(document));
  const { code, stdout, stderr } = await replay(bed, sessionId, 'shop');
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { tool: 'shop_x', toolCallId: 'call0', input: { a: 1 }, missing: true },
      { tool: 'shop_x', toolCallId: 'call2', input: { a: 2 }, missing: true },
    ],
  );
  assert.equal(code, 1);
  assert.equal(stderr, 'replay detected mismatches: shop_x is no longer in the bundle.\n');
  assert.equal(existsSync(ran), false);
});

test('a session or bundle that is not there, or is broken, is said', async (t) => {
  const { bed, sessionId } = await record(t);
  const session = await replay(bed, 'ses_none', 'shop');
  assert.deepEqual([session.code, session.stdout], [2, '']);
  assert.match(session.stderr, /There is no session ses_none/);
  const folder = await replay(bed, sessionId, 'none');
  assert.deepEqual([folder.code, folder.stdout], [2, '']);
  assert.match(folder.stderr, /There is no bundle in none/);
  await writeFile(path.join(bed.workspace, 'shop/manifest.toml'), 'name = "shop"\n');
  const broken = await replay(bed, sessionId, 'shop');
  assert.deepEqual([broken.code, broken.stdout], [1, '']);
  assert.match(broken.stderr, /manifest\.toml has no \[artifacts\.tools\]/);
  await writeFile(path.join(bed.workspace, 'shop/tools.json'), '{');
  const unreadable = await replay(bed, sessionId, 'shop');
  assert.deepEqual([unreadable.code, unreadable.stdout], [1, '']);
  assert.match(unreadable.stderr, /tools\.json:1:\d+: error: /);
  const empty = await gatehouse(['replay', sessionId, 'shop'], {
    cwd: bed.workspace,
    env: { GATEHOUSE_DATA: path.join(bed.root, 'other') },
  });
  assert.equal(empty.code, 2);
  assert.equal(existsSync(path.join(bed.root, 'other/state/gatehouse.db')), false);
});

/** What a replay prints after calls of a bundle with this name and one tool, `id`. */
async function replayNamed(
  t: TestContext,
  { name, id, more = {} }: { name: string; id: string; more?: Files },
  tools: readonly string[],
) {
  const made = runloop("echo '{}'", { id });
  const files = (workspace: string) => {
    const all = made(workspace);
    const manifest = String(all['shop/manifest.toml']).replace('name = "shop"', `name = "${name}"`);
    return { ...all, 'shop/manifest.toml': manifest, ...more };
  };
  const bed = await makeBed(t, { files });
  const calls = tools.map((tool) => ({ tool, input: {} }));
  const { host, sessionId } = await converse(t, bed, { calls });
  host.child.kill('SIGTERM');
  await host.exit;
  return replay(bed, sessionId, 'shop');
}

test('calls of a tool whose id is cut, because the name of the bundle is long, are replayed', async (t) => {
  const name = 'b'.repeat(60);
  const { code, stdout } = await replayNamed(t, { name, id: 'look_up' }, [
    importedId(name, 'look_up'),
  ]);
  assert.deepEqual([code, JSON.parse(stdout).tool], [0, 'look_up']);
});

test('a tool of the host belongs to no bundle, and a name is printed visibly', async (t) => {
  const gone = 'apply_\u001b[2Jx';
  const { code, stdout, stderr } = await replayNamed(t, { name: 'apply', id: 'x' }, [
    'apply_patch',
    gone,
  ]);
  assert.deepEqual([code, JSON.parse(stdout).tool], [1, gone]);
  assert.ok(!stderr.includes('apply_patch') && !stderr.includes('\u001b'));
});

test('the calls of a bundle whose name begins with that of another one are not its calls', async (t) => {
  const tool = { id: 'x', description: 'd', input_schema: {}, result_schema: {} };
  const transport = { kind: 'exec', command: '/bin/true' };
  const document = JSON.stringify({ version: 1, tools: [{ ...tool, transport }] });
  const more = {
    'other/tools.json': document,
    'other/manifest.toml': toManifest(document).replace('name = "shop"', 'name = "a_b"'),
    'other/policy.caps': '[capabilities]\nexec = true\n',
    'a_c/tools.json': { tools: [{ name: 'z', command: ['/bin/true'] }] },
  };
  const calls = ['a_x', 'a_b_x', 'a_b_gone', 'a_c_z', 'a_c_gone', 'a_gone'];
  const { code, stdout, stderr } = await replayNamed(t, { name: 'a', id: 'x', more }, calls);
  const lines = stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).tool),
    ['x', 'a_gone'],
  );
  assert.deepEqual(
    [code, stderr],
    [1, 'replay detected mismatches: a_gone is no longer in the bundle.\n'],
  );
});
