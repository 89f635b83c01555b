import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createProcesses } from '../../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../../src/runtime/commands/shell.ts';
import type { ConfinedStart } from '../../../../../src/runtime/confined.ts';
import { createSandbox } from '../../../../../src/runtime/sandbox/createSandbox.ts';
import { removeFolder } from '../../../../../src/runtime/sandbox/folders.ts';
import { createSidecars } from '../../../../../src/runtime/sidecars.ts';
import { type Flaws, writeStandIn } from './standIn.ts';

const { signal } = new AbortController();

function open(t: TestContext) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'look-')));
  t.after(() => removeFolder(base));
  const [workspace = '', home = '', data = ''] = ['work', 'home', 'data'].map((name) => {
    mkdirSync(path.join(base, name));
    return path.join(base, name);
  });
  const env = { HOME: home, PATH: '/usr/bin:/bin' };
  const create = (program: string) =>
    createSandbox({
      ...{ folder: data, platform: 'darwin' },
      env: { ...env, GATEHOUSE_SANDBOX_EXEC: program },
    });
  const sidecars = createSidecars(path.join(base, 'sidecars'));
  async function run(confined: ConfinedStart, command: string) {
    const options = { env, processes: createProcesses(), sidecars, signal, confined };
    const shell = createLocalShell({ ...options, shell: 'bash' });
    const limits = { timeoutMs: 60_000, outputBytes: 100_000, background: false };
    return shell.run({ command, title: '', cwd: workspace, ...limits });
  }
  return { base, workspace, data, create, run };
}

test('a command looks at the workspace, and can write nothing but temporary files', async (t) => {
  const { base, workspace, data, create, run } = open(t);
  const { state, ...sandbox } = await create(writeStandIn(base));
  assert.deepEqual(state, { proven: true, looksOnly: true });
  assert.deepEqual(readdirSync(data), [], 'the test leaves nothing behind');
  for (const name of ['own', '.env']) writeFileSync(path.join(workspace, name), 'secret\n');
  const folder = path.join(data, 'copy');
  const copy = sandbox.openCopy({ folder, workspace: [workspace] });
  const held = await copy.hold(signal);
  assert.ok(held.ok);
  const start = held.data.start({ masks: async () => [path.join(workspace, '.env')] });
  const line =
    'cat own; cat .env; echo x >"$TMPDIR/t" && cat "$TMPDIR/t"; echo x >own; echo x >new';
  const ran = await run(start, line);
  assert.ok(ran.ok);
  // Output and errors come by two pipes, so which line is first is not known.
  const output = JSON.stringify(ran.data);
  const denied = /cat: \.env: Permission denied\\n.*own: Read-only file system\\n.*new: Read-only/;
  for (const part of [/secret\\n/, /x\\n/, denied]) assert.match(output, part);
  assert.deepEqual(readdirSync(workspace).sort(), ['.env', 'own']);
  assert.equal(readFileSync(path.join(workspace, 'own'), 'utf8'), 'secret\n');
  assert.deepEqual(held.data.report()?.looksOnly, true);
  assert.deepEqual(await held.data.changes(signal), { ok: true, data: { files: [], git: [] } });
  await copy.close();
  assert.deepEqual(readdirSync(data), []);
});

test("a run that can't be set up says why, and starts nothing", async (t) => {
  const { base, workspace, data, create, run } = open(t);
  const sandbox = await create(writeStandIn(base));
  const at = (folders: readonly string[], masks: () => Promise<readonly string[]>) =>
    sandbox.live({ folder: path.join(data, 'live'), workspace: folders, masks });
  const broken = await run(
    at([workspace], async () => {
      throw new Error('No list.');
    }),
    'true',
  );
  assert.match(JSON.stringify(broken), /The sandbox could not be set up: No list\./);
  const odd = await run(
    at([workspace], async () => ['/a"b']),
    'true',
  );
  assert.match(JSON.stringify(odd), /can't name/);
  const home = await run(
    at([base], async () => []),
    'true',
  );
  assert.match(JSON.stringify(home), /the home folder lies there/);
  writeFileSync(path.join(base, 'sandbox-exec'), '#!/bin/sh\nexit 71\n');
  const gone = await run(
    at([workspace], async () => []),
    'true',
  );
  assert.match(JSON.stringify(gone), /The sandbox did not start the command/);
});

const FLAWS: readonly (readonly [string, (base: string) => Flaws, RegExp])[] = [
  ['the network is open', () => ({ network: true }), /it reached the network/],
  ['hidden files are shown', () => ({ shows: true }), /it reads a hidden file/],
  ['the workspace is writable', () => ({ writes: true }), /it wrote in the workspace|it changed/],
  ['everything is shown', (base) => ({ leaks: base }), /it reads files outside the workspace/],
  ['nothing is writable', () => ({ lacks: true }), /it cannot write temporary files/],
];

for (const [what, flaws, reason] of FLAWS) {
  test(`the self-test of a look fails where ${what}`, async (t) => {
    const { base, create } = open(t);
    const { state } = await create(writeStandIn(base, flaws(base)));
    assert.match(state.proven ? '' : state.reason, /^The sandbox does not hold here: /);
    assert.match(state.proven ? '' : state.reason, reason);
  });
}

for (const [what, script, reason] of [
  ['ignores the rules', '#!/bin/sh\nshift 2; exec "$@"\n', /does not hold here/],
  [
    'refuses the rules',
    '#!/bin/sh\necho "syntax error" >&2; exit 65\n',
    /can't be started here: syntax error/,
  ],
  ['does nothing', '#!/bin/sh\nexit 0\n', /can't be started here/],
  ['is missing', undefined, /because \S+ does not exist\.$/],
] as const) {
  test(`nothing is sandboxed where sandbox-exec ${what}`, async (t) => {
    const { base, workspace, data, create, run } = open(t);
    const program = path.join(base, 'sandbox-exec');
    if (script !== undefined) writeFileSync(program, script, { mode: 0o755 });
    const { state, ...sandbox } = await create(program);
    assert.match(state.proven ? '' : state.reason, reason);
    const live = sandbox.live({ folder: path.join(data, 'l'), workspace: [workspace], masks: [] });
    const ran = await run(live, 'touch made');
    assert.equal(ran.ok, false);
    assert.deepEqual(readdirSync(workspace), []);
  });
}
