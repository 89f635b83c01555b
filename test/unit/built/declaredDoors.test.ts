import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ClientExtensions, toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import { isRunning } from '../../../src/base/faults.ts';
import { poll, promptOf } from '../host/stdioHost.ts';
import { gatehouse, place } from './program.ts';
import {
  agentcli,
  compozy,
  converse,
  fields,
  makeBed,
  newSession,
  open,
  runloop,
  takeTurn,
  toManifest,
} from './session.ts';

// What keeps declared tools from running something else, or for longer, through the built `gatehouse acp`.

const LEAVES = `(sleep 900 >/dev/null 2>&1 & echo $! >> "$0.pids"); setsid sh -c 'echo $$ >> "$1.pids"; exec sleep 900' x "$0" >/dev/null 2>&1 & until [ "$(wc -l <"$0.pids")" -eq 2 ]; do sleep 0.02; done; echo '{}'`;
const DIALECTS = {
  agentcli: [agentcli(LEAVES), 'shop/tools/bin/x.pids'],
  runloop: [runloop(LEAVES), 'shop/bin/x.pids'],
  compozy: [
    compozy(
      `const { spawn, spawnSync } = await import('node:child_process');
      const { appendFileSync } = await import('node:fs');
      for (const detached of [true, false]) {
        const child = spawn('sleep', ['900'], { detached, stdio: 'ignore' });
        child.unref();
        appendFileSync('x.pids', child.pid + '\\n');
      }
      return {};`,
    ),
    'shop/x.pids',
  ],
} as const;

for (const [dialect, [files, pids]] of Object.entries(DIALECTS)) {
  test(`${dialect}: what a call left running ends with it, detached or not`, async (t) => {
    const bed = await makeBed(t, { files });
    const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
    assert.deepEqual(fields(results[0])['data'], {}, JSON.stringify(results));
    const left = readFileSync(path.join(bed.workspace, pids), 'utf8').trim().split('\n');
    assert.equal(left.length, 2);
    await poll(() => left.every((pid) => !isRunning(Number(pid))), 'the end of both');
  });
}

/** Each dialect, with the program that its tool `x` is started by. */
const PROGRAMS = {
  agentcli: [agentcli(''), 'shop/tools/bin/x'],
  Runloop: [runloop(''), 'shop/bin/x'],
  Compozy: [compozy('return {}', {}, { runtime: { type: 'bun' } }), 'bin/bun'],
} as const;

for (const [dialect, [files, program]] of Object.entries(PROGRAMS)) {
  test(`${dialect}: a program without an executable format is an error, and no script`, async (t) => {
    for (const content of ['touch "$0.ran"\n', '']) {
      const own = (workspace: string) => (typeof files === 'function' ? files(workspace) : files);
      const bed = await makeBed(t, {
        files: (workspace) => ({ ...own(workspace), [program]: content }),
      });
      const env = { PATH: `${path.join(bed.workspace, 'bin')}:${process.env['PATH']}` };
      // An acceptance covers the program that is found on PATH.
      const accept = { cwd: bed.workspace, env: { ...env, GATEHOUSE_DATA: bed.data } };
      assert.equal((await gatehouse(['accept', '.'], accept)).code, 0);
      const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }], env });
      const { error, error_text } = fields(results[0]);
      assert.match(String(error ?? error_text), /ENOEXEC: The file (?:is empty|has no executable)/);
      assert.equal(existsSync(path.join(bed.workspace, `${program}.ran`)), false);
    }
  });
}

test('a manifest.toml in UTF-16 fails the digest of its bundle', async (t) => {
  const bed = await makeBed(t, { files: runloop("echo '{}'") });
  const document = readFileSync(path.join(bed.workspace, 'shop/tools.json'), 'utf8');
  const toml = Buffer.from(`\ufeff${toManifest(document)}`, 'utf16le');
  writeFileSync(path.join(bed.workspace, 'shop/manifest.toml'), toml);
  const { code, stdout } = await gatehouse(['check', '.'], { cwd: bed.workspace });
  assert.deepEqual([code, /manifest\.toml.*not UTF-8/.test(stdout)], [1, true], stdout);
  assert.ok(!(await converse(t, bed)).offered.includes('shop_x'));
});

const UNREAD = /read manifest: it is a (?:folder|pipe, a socket or a device)/;
const MAKE = {
  pipe: (_, file) => void execFileSync('mkfifo', [file]),
  device: (_, file) => symlinkSync('/dev/zero', file),
  folder: (_, file) => void mkdirSync(file),
  async socket(t, file) {
    const server = createServer();
    t.after(() => void server.close());
    await new Promise<void>((resolve) => server.listen(file, resolve));
  },
} satisfies Record<string, (t: TestContext, file: string) => void | Promise<void>>;

for (const what of ['pipe', 'device', 'socket', 'folder'] as const) {
  test(`a tools.json that is a ${what} is a finding, and the session goes on`, async (t) => {
    const bed = await makeBed(t, { files: agentcli('cat') });
    const file = path.join(bed.workspace, 'shop/tools.json');
    rmSync(file);
    await MAKE[what](t, file);
    for (const named of ['.', 'shop/tools.json']) {
      const { code, stdout } = await gatehouse(['check', named], { cwd: bed.workspace });
      assert.deepEqual([code, UNREAD.test(stdout)], [1, true], stdout);
    }
    assert.ok((await converse(t, bed)).offered.includes('read'));
  });
}

test('a module that the entry point imports is covered, and so is a schema', async (t) => {
  const bed = await makeBed(t, {
    files: {
      ...compozy('return {};', { input: 'shared' }),
      'shop/tools.ts': "import './part.ts';\nexport const x = () => ({});\n",
      'shop/part.ts': '',
      'shop/schemas/shared.json': { type: 'object' },
    },
  });
  for (const [name, other] of [
    ['shop/part.ts', 'changed();'],
    ['shop/schemas/shared.json', '{}'],
  ] as const) {
    const before = readFileSync(path.join(bed.workspace, name), 'utf8');
    assert.ok((await converse(t, bed)).offered.includes('shop_x'), name);
    await place(bed.workspace, { [name]: other });
    const { offered, results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
    assert.ok(!offered.includes('shop_x'), name);
    assert.match(JSON.stringify(results), /You have not accepted the current version/);
    await place(bed.workspace, { [name]: before });
  }
});

test('the error of a schema is at most 2 KB, however long the schema is', async (t) => {
  const values = Array.from({ length: 8_000 }, (_, at) => `value ${at}`);
  const schema = { type: 'object', properties: { a: { enum: values } } };
  const bed = await makeBed(t, { files: agentcli('touch "$0.ran"', { schema }) });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x', input: { a: 'x' } }] });
  const text = String(fields(results[0])['error']);
  assert.match(text, /^Invalid arguments for shop_x: /);
  assert.ok(Buffer.byteLength(text) <= 2500, text);
  assert.equal(existsSync(path.join(bed.workspace, 'shop/tools/bin/x.ran')), false);
});

test('the folders of other open files are granted while they are open', async (t) => {
  const bed = await makeBed(t, { files: { 'a.txt': '' } });
  await place(bed.root, { 'other/open.txt': 'beside' });
  const input = { path: path.join(bed.root, 'other/open.txt') };
  const step = { calls: [{ tool: 'read', input }] };
  const script = [step, { text: 'Done.' }, step, { text: 'Done.' }];
  const capabilities = toExtensions<ClientExtensions>({ configure: true });
  const host = await open(t, bed, { script, capabilities });
  const configure = (adHoc: readonly string[]) => {
    const workspace = { roots: [bed.workspace], adHoc, trusted: true };
    const rules = [{ permission: '*', pattern: '/**', action: 'allow', layer: 'user' }];
    return host.request('_gatehouse/configure', { settings: {}, rules, workspace });
  };
  await configure([path.join(bed.root, 'other')]);
  const sessionId = await newSession(host, bed);
  const { results } = await takeTurn(host, sessionId);
  assert.match(JSON.stringify(results), /beside/);
  await configure([]);
  await host.request('session/prompt', promptOf(sessionId));
  const last = JSON.stringify(host.model.requests.at(-1)?.body['messages']);
  assert.match(last, /capabilities don't allow/);
});
