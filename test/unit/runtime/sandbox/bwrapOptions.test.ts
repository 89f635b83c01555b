import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findPrograms } from '../../../../src/runtime/sandbox/linux/programs.ts';
import { until } from '../../../workbench/processes.ts';
import { runAsUser, USER } from './asUser.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';
import { runWithout } from './neededOptions.ts';

/** The options of bubblewrap 0.11 by the number of their values. Debian 12 has 0.8 only. */
const OPTIONS: readonly string[] = [
  'help version unshare-all share-net unshare-user unshare-user-try unshare-ipc unshare-pid unshare-net unshare-uts unshare-cgroup unshare-cgroup-try disable-userns assert-userns-disabled clearenv new-session die-with-parent as-pid-1 level-prefix',
  'args argv0 userns userns2 pidns uid gid hostname chdir unsetenv lock-file sync-fd remount-ro overlay-src tmp-overlay ro-overlay exec-label file-label proc dev tmpfs mqueue dir seccomp add-seccomp-fd block-fd userns-block-fd info-fd json-status-fd cap-add cap-drop perms size',
  'setenv bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try bind-fd ro-bind-fd file bind-data ro-bind-data symlink chmod',
  'overlay',
];

/**
 * Takes the options as bubblewrap 0.11 does, writes down what it would refuse, and passes the rest to the
 * bubblewrap of this machine.
 */
function toStandIn(bwrap: string, refused: string): string {
  const cases = OPTIONS.map(
    (names, values) => `${names.replaceAll(/\S+/g, '--$&').replaceAll(' ', '|')}) n=${values};;`,
  );
  return `#!/bin/bash
refuse() { echo "$*" >>'${refused}'; }
[ "$1 $2 $3" = "--args 5 --" ] || refuse "arguments $1 $2 $3"
shift 3
mapfile -d '' -t all <&5
set -- "\${all[@]}" END "$@"
user=no; unsafe=no; filters=0; count=0
while [ "$1" != END ]; do
  case $1 in ${cases.join('\n')} *) refuse "unknown option $1"; n=0;; esac
  case $1 in --unshare-user) user=yes;; --disable-userns) unsafe=yes;; --seccomp) filters=$((filters+1));; esac
  for ((i = 0; i <= n; i++)); do [ "$1" = END ] && { refuse "too few values"; break; }; shift; count=$((count+1)); done
done
shift
[ $unsafe = no ] || [ $user = yes ] || refuse "--disable-userns needs --unshare-user"
[ $filters -le 1 ] || refuse "--seccomp twice"
[ $count -le 9000 ] || refuse "more than 9000 options"
printf '%s\\0' "\${all[@]}" >'${refused}'.$$
exec '${bwrap}' --args 5 -- "$@" 5<'${refused}'.$$
`;
}

async function openBed(names: string): Promise<{ bed: SandboxBed; refused: () => string }> {
  const programs = findPrograms({ GATEHOUSE_BWRAP: '' });
  assert.ok('bwrap' in programs);
  const plain = await openSandboxBed();
  const refused = path.join(plain.base, 'refused');
  const bwrap = path.join(plain.base, 'bwrap');
  writeFileSync(bwrap, toStandIn(programs.bwrap, refused).replace('unshare-ipc|', names));
  chmodSync(bwrap, 0o755);
  const bed = await openSandboxBed({ GATEHOUSE_BWRAP: bwrap });
  const dispose = bed[Symbol.asyncDispose].bind(bed);
  return {
    bed: {
      ...bed,
      async [Symbol.asyncDispose]() {
        await dispose();
        await plain[Symbol.asyncDispose]();
      },
    },
    refused: () => (existsSync(refused) ? readFileSync(refused, 'utf8') : ''),
  };
}

test('bubblewrap 0.11 takes every option of a copy, of its proxy, and of a confined run', async () => {
  const opened = await openBed('unshare-ipc|');
  await using bed = opened.bed;
  assert.deepEqual(bed.sandbox.state, { proven: true });
  writeFileSync(path.join(bed.workspace, '.env'), 'A=1');
  const egress = {
    authorize: async () => ({ ok: true, data: undefined }) as const,
    authorizeAddress: async () => ({ ok: true, data: undefined }) as const,
  };
  const held = await bed.hold();
  const masks = [path.join(bed.workspace, '.env')];
  const command = 'cat .env; echo x >file; echo ran';
  assert.equal((await bed.run(held.start({ masks, egress }), command)).output, 'ran\n');
  const changes = await held.changes(new AbortController().signal);
  assert.deepEqual(changes.ok && changes.data.files.map(({ path: name }) => name), ['file']);
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [], egress },
  });
  assert.match((await bed.run(live, 'echo ran')).output, /^ran/);
  assert.equal(opened.refused(), '');
});

test('an option that bubblewrap 0.11 lacks is found', async () => {
  const opened = await openBed('');
  await using _bed = opened.bed;
  assert.match(opened.refused(), /^unknown option --unshare-ipc$/m);
});

test('a new user namespace is refused by the filter, and without it by bubblewrap', async () => {
  await using bed = await openSandboxBed();
  const parts = [['--disable-userns'], ['--seccomp', '3']];
  const line = 'unshare -U echo made';
  assert.notEqual(await runWithout(bed, line), 'made\n');
  for (const each of parts) assert.notEqual(await runWithout(bed, line, each), 'made\n', each[0]);
  assert.equal(await runWithout(bed, line, ...parts), 'made\n');
});

test('a command has the ids of the user, which needs the options that set them', async () => {
  const { result, errors } = await runAsUser({ module: 'neededOptions.ts', name: 'showIds' });
  assert.ok(Array.isArray(result), errors);
  const [own, without] = result;
  assert.match(String(own), new RegExp(`^${USER} \\d+$`));
  assert.notEqual(own, without);
});

test('a command ends with a host that is killed, which needs its option', async () => {
  const source = path.join(import.meta.dirname, 'neededOptions.ts');
  for (const part of [[], ['--die-with-parent']]) {
    await using bed = await openSandboxBed();
    const mark = `7${process.pid}.${part.length}`;
    const line = `const { runWithout } = await import(${JSON.stringify(source)});
      const { openSandboxBed } = await import(${JSON.stringify(path.join(import.meta.dirname, 'bed.ts'))});
      await using own = await openSandboxBed();
      const bed = { ...own, base: process.argv[1] };
      await runWithout(bed, 'exec sleep ${mark}', ${part.length === 0 ? '' : JSON.stringify(part)});`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', line, bed.base], {
      env: { ...process.env, TMPDIR: bed.base },
    });
    const find = () =>
      spawnSync('pgrep', ['-f', `^sleep ${mark}$`])
        .stdout.toString()
        .trim();
    await until('the command', () => find() || undefined);
    const pid = Number(find());
    host.kill('SIGKILL');
    if (part.length === 0) {
      await until('the end of the command', () => find() === '' || undefined);
      continue;
    }
    await new Promise((resolve) => host.once('exit', resolve));
    assert.equal(find(), String(pid), 'it runs on without the option');
    process.kill(pid, 'SIGKILL');
    await until('the end of the command', () => find() === '' || undefined);
  }
});

/** Files of the kernel that root may write without capabilities, by what covers them. */
const KERNEL = 'sys sysrq-trigger irq bus acpi fs scsi mtrr'
  .split(' ')
  .map((name) => `/proc/${name}`);

test('each part of the kernel that root may write is covered', async (t) => {
  await using bed = await openSandboxBed();
  // Opens for writing what there is, and writes nothing.
  const find = (file: string) =>
    `find ${file} -type f -perm -u+w 2>/dev/null | head -n 60 | while read -r each; do (: >>"$each") 2>/dev/null && echo "$each"; done | head -n 1`;
  const tried = KERNEL.filter((file) => existsSync(file));
  assert.ok(tried.includes('/proc/sys'));
  for (const file of tried) {
    assert.equal(await runWithout(bed, find(file)), '', file);
    const open = await runWithout(bed, find(file), ['--ro-bind-try', file, file]);
    t.diagnostic(`${file} without its option: ${open.trim() || 'nothing can be written here'}`);
    if (file === '/proc/sys' && process.getuid?.() === 0) assert.notEqual(open, '', file);
  }
});
