import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { success } from '../../../../src/base/outcome.ts';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import { findPrograms } from '../../../../src/runtime/sandbox/linux/programs.ts';
import { openCopy } from '../../../../src/runtime/sandbox/openCopy.ts';
import { createSidecars } from '../../../../src/runtime/sidecars.ts';
import { runAsUser } from './asUser.ts';
import { countProcesses, openSandboxBed } from './bed.ts';
import { leaveHostile } from './leftBehind.ts';

test('a program of the workspace in a folder on PATH is not run when a sandbox is built', async () => {
  await using bed = await openSandboxBed();
  const folder = path.join(bed.workspace, 'node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  const outside = path.join(bed.outside, 'ran');
  const inside = path.join(bed.workspace, 'ran');
  for (const name of 'mount bash unshare bwrap env rm mkdir cat kill echo perl'.split(' ')) {
    const file = path.join(folder, name);
    // The command's own shell is one of these programs.
    const notes = name === 'bash' ? outside : `${outside} ${inside}`;
    const note = `echo ${name} | /usr/bin/tee -a ${notes} >/dev/null 2>&1`;
    writeFileSync(file, `#!/bin/sh\n${note}\nPATH=/usr/bin:/bin exec ${name} "$@"\n`);
    chmodSync(file, 0o755);
  }
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const held = await bed.hold();
  const live = { folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [] };
  const accept = async () => success(undefined);
  const egress = { authorize: accept, authorizeAddress: accept };
  for (const start of [
    ...[held.start({ masks: [] }), held.start({ masks: [], egress })],
    ...[bed.sandbox.live(live), bed.sandbox.live({ ...live, egress })],
  ]) {
    const { output } = await bed.run(start, '[ -e ran ] || /usr/bin/printf none', env);
    assert.deepEqual([output, existsSync(outside), existsSync(inside)], ['none', false, false]);
  }
});

test('a command that kills its wrapper has ended with all that it started when its changes are read', async () => {
  await using bed = await openSandboxBed();
  const file = path.join(bed.base, 'data/copy/o0/u/file');
  const held = await bed.hold();
  const loop = 'exec >/dev/null 2>&1; while :; do echo x >>file; done';
  for (let run = 0; run < 8; run += 1) {
    const line = `for i in {1..30}; do (${loop}) & done; sleep 0.05; kill -9 2`;
    await bed.run(held.start({ masks: [] }), line);
    const { size } = statSync(file);
    assert.equal(countProcesses(bed.base), 0);
    // Processes that still ran wrote within a few milliseconds.
    for (const began = performance.now(); performance.now() - began < 30; ) {
      assert.equal(statSync(file).size, size);
    }
  }
});

test('what lies in a folder that nobody can list is hidden from a copy, and no repository there can be changed', async () => {
  const ran = await runAsUser({ module: 'closedFolders.ts', name: 'openClosed' });
  assert.deepEqual(ran.result, { masks: ['a/closed'], shown: false, config: 'own' }, ran.errors);
});

test('a command is not confined where a repository lies below a name that is not UTF-8', async () => {
  await using bed = await openSandboxBed();
  const odd = Buffer.concat([Buffer.from(`${bed.workspace}/caf`), Buffer.of(0xe9)]);
  mkdirSync(odd);
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [] },
  });
  assert.equal((await bed.run(live, 'echo ran')).output, 'ran\n');
  mkdirSync(Buffer.concat([odd, Buffer.from('/deep')]));
  writeFileSync(Buffer.concat([odd, Buffer.from('/deep/.git')]), 'gitdir: /nowhere');
  await assert.rejects(bed.run(live, 'echo ran'), /lies in a folder whose name is not UTF-8\.$/);
});

test('variables that load code into programs act inside a sandbox only, and not on those that build it', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [] },
  });
  // Each program that heeds these writes a file; in a sandbox, the folder is another one.
  const loads = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: path.join(bed.outside, 'loaded') };
  for (const start of [held.start({ masks: [] }), live]) {
    const ran = await bed.run(
      {
        ...start,
        prepare: (launch) => start.prepare({ ...launch, env: { ...launch.env, ...loads } }),
      },
      'echo $LD_DEBUG',
    );
    assert.match(ran.output, /^files$/m);
    assert.deepEqual(readdirSync(bed.outside), []);
  }
});

test('variables that a program declares act on the command only, and not on the wrapper that checks and ends it', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [] },
  });
  const acted = path.join(bed.workspace, 'acted');
  const script = path.join(bed.workspace, 'script');
  // The wrapper is process 2.
  writeFileSync(script, `[ $$ -ne 2 ] || echo yes >${acted}\n`);
  const given = 'a  b\n\'"$(touch x)%s\\ =é';
  const declared = {
    ...{ BASH_ENV: script, ENV: script, GIVEN: given, GATE_SET: 'v', IFS: 'a', 'odd-name': 'odd' },
    'BASH_FUNC_mapfile%%': `() { echo yes >${acted}; }`,
    'BASH_FUNC_kill%%': `() { echo yes >${acted}; }`,
  };
  const say =
    'env | grep -c ^GATE_SET_; printf "%s\n" "$GIVEN" "$BASH_ENV" "$IFS"; env | grep ^odd-; ls';
  for (const start of [held.start({ masks: [] }), live]) {
    for (const way of ['env', 'declared'] as const) {
      const prepare: typeof start.prepare = (launch) =>
        start.prepare({ ...launch, [way]: { ...launch[way], ...declared } });
      const { output } = await bed.run({ ...start, prepare }, say);
      assert.ok(output.startsWith(`0\n${given}\n${script}\n \t\n\nodd-name=odd\n`), output);
      assert.equal(output.includes('acted'), false, `${way}: ${output}`);
      assert.equal(existsSync(acted), false);
    }
  }
});

test('options of a sandbox that arrive cut off, as from a host that is killed, start nothing', async () => {
  const programs = findPrograms({ GATEHOUSE_BWRAP: '' });
  assert.ok('bwrap' in programs);
  await using bed = await openSandboxBed();
  const { home, workspace } = bed;
  const hidden = path.join(workspace, 'hidden');
  writeFileSync(hidden, 'SECRET');
  let count = 0;
  const cut = async (left: number) => {
    const edit = (options: readonly string[]) => {
      count = options.length;
      return left === 0 ? options : options.slice(0, -left);
    };
    const folder = path.join(bed.base, 'data/cut');
    const copy = openCopy({ folder, workspace: [workspace], programs, home, edit });
    const held = await copy.hold(new AbortController().signal);
    assert.ok(held.ok);
    const ran = await bed
      .run(held.data.start({ masks: [hidden] }), `cat ${hidden}; touch ran; echo ran`)
      .then(({ output }) => output, String);
    held.data.release();
    await copy.close();
    return ran;
  };
  assert.equal(await cut(0), 'ran\n');
  for (let left = 1; left < count; left += left < 16 ? 1 : 7) {
    assert.match(await cut(left), /did not start the command/, String(left));
  }
});

test('whatever a command leaves in HOME, /tmp and the copy, it is reported, and the next one runs', async () => {
  assert.deepEqual(await leaveHostile({}), []);
  const asUser = await runAsUser({ module: 'leftBehind.ts', name: 'leaveHostile' });
  assert.deepEqual(asUser, { result: [], errors: '' });
});

test('nothing of HOME is kept for the next command, and what is in it before counts as no write', async () => {
  await using bed = await openSandboxBed();
  mkdirSync(path.join(bed.home, '.config/git'), { recursive: true });
  writeFileSync(path.join(bed.home, '.config/git/ignore'), 'x');
  const held = await bed.hold();
  await bed.run(held.start({ masks: [] }), 'echo x >~/.gitconfig; echo y >/tmp/y');
  assert.deepEqual(held.report()?.homeWrites, ['.gitconfig']);
  const next = await bed.run(held.start({ masks: [] }), 'ls -A ~; cat /tmp/y');
  assert.equal(next.output, '.config\ny\n');
  assert.deepEqual(held.report()?.homeWrites, []);
});

test('a command in the copy can not be sent to the background', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const confined = held.start({ masks: [] });
  const { signal } = new AbortController();
  const processes = createProcesses();
  const sidecars = createSidecars(path.join(bed.base, 'sidecars'));
  const answers: string[] = [];
  const shell = createLocalShell({
    ...{ env: process.env, shell: 'bash', processes, sidecars, signal, confined },
    async onStart(terminalId) {
      const input = await processes.input({ terminalId, background: true });
      answers.push(input.ok ? '' : input.error);
    },
  });
  const limits = { timeoutMs: 60_000, outputBytes: 1000, background: false };
  const ran = await shell.run({
    ...{ command: 'sleep 0.1; echo ended', title: '', cwd: bed.workspace },
    ...limits,
  });
  assert.ok(ran.ok);
  assert.deepEqual([ran.data.ended, ran.data.output], ['exit', 'ended\n']);
  const why = 'This command runs in a copy of the workspace and can not run on in the background.';
  assert.deepEqual(answers, [why]);
});

test('a sparse file larger than the disk that a command touches holds nothing up', async () => {
  await using bed = await openSandboxBed();
  for (const [name, size] of [
    ['huge', 2e12],
    ['large', 3e8],
  ] as const) {
    writeFileSync(path.join(bed.workspace, name), '');
    truncateSync(path.join(bed.workspace, name), size);
  }
  const held = await bed.hold();
  await bed.run(held.start({ masks: [] }), 'chmod 700 *; chmod 644 *');
  const changes = await held.changes(AbortSignal.timeout(120_000));
  assert.ok(changes.ok);
  // It was not compared, so it can't be told to be the same.
  assert.deepEqual(
    changes.data.files.map(({ path: file, type }) => [file, type]),
    [['huge', 'changed']],
  );
});

test('commands run where HOME is a folder of the system, as for users of containers, and write nothing there', async () => {
  for (const home of ['/', '/usr', '/etc/missing', '/proc']) {
    await using bed = await openSandboxBed({ HOME: home });
    const line = 'echo x >"$HOME/file" && ls -A "$HOME"; ls -d /usr/bin; echo changed >a';
    const held = await bed.hold();
    const live = { folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace] };
    for (const start of [held.start({ masks: [] }), bed.sandbox.live({ ...live, masks: [] })]) {
      assert.equal((await bed.run(start, line)).output, 'file\n/usr/bin\n', home);
    }
    assert.ok(!existsSync(path.join(home, 'file')));
  }
});
