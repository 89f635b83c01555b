import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeFolder } from '../../../../src/runtime/sandbox/folders.ts';

/** Runs a program of ours in a system that something is wrong with. */
function runIn(t: TestContext, system: readonly string[], setUp: string, script: string): string {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'bad-system-')));
  t.after(() => removeFolder(base));
  const node = [process.execPath, path.join(import.meta.dirname, script), base];
  const [program = '', ...args] = [...system, 'bash', '-ec', `${setUp}\nexec "$@"`, base, ...node];
  return execFileSync(program, args, { encoding: 'utf8', timeout: 120_000 });
}

const isRoot = process.getuid?.() === 0;
const OWN_MOUNTS = isRoot ? ['unshare', '-m'] : ['unshare', '-Urm'];

test('where no namespaces may be made, the reason says so in one sentence', (t) => {
  const system = ['bwrap', '--dev-bind', '/', '/', '--unshare-user', '--disable-userns', '--'];
  assert.deepEqual(JSON.parse(runIn(t, system, '', 'proveIn.ts')), {
    proven: false,
    reason:
      "The sandbox can't be started here, because user namespaces are turned off or restricted, as in many containers.",
  });
});

test('where the data folder lies on overlayfs, the reason says so in one sentence', (t) => {
  const setUp = `mkdir "$0"/lower "$0"/upper "$0"/data; mount -t tmpfs none "$0"/upper
    mkdir "$0"/upper/u "$0"/upper/w
    options="lowerdir=$0/lower,upperdir=$0/upper/u,workdir=$0/upper/w"
    mount -t overlay overlay -o "$options${isRoot ? '' : ',userxattr'}" "$0"/data`;
  assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, setUp, 'proveIn.ts')), {
    proven: false,
    reason:
      "The sandbox can't be started here, because Gatehouse's data folder lies on a file system that can't hold a copy, such as overlayfs.",
  });
});

test('nothing runs in a copy while a volume is mounted in the workspace, whose files would count as deleted', (t) => {
  const fault =
    "The sandbox can't copy the workspace folder WS, because something else is mounted in it, at WS/a volume.";
  assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, '', 'mountIn.ts')), [
    'new\n',
    `${fault} What it changed stays in the copy.`,
    fault,
    true,
    'new\n',
    ['added a volume/new'],
  ]);
});

test('a folder that cannot be removed keeps nobody from having a copy, and no other folder from being removed', (t) => {
  assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, '', 'stuckIn.ts')), [
    true,
    ['host_b', 'sandbox-test.json', 'selftest-b'],
    ['gatehouse-proxy-b'],
    ...[true, true, true],
    // With the host's own.
    4,
  ]);
});

/** Takes the rights of the mounts' owner away, whoever that is. */
const ORDINARY_USER = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];

for (const [who, user] of [
  ...(isRoot ? [['root', []] as const] : []),
  ['an ordinary user', ORDINARY_USER],
] as const) {
  test(`${who}: a command that fills the disk under the copy fails, and neither the workspace nor the next command notices`, (t) => {
    const setUp = `mkdir "$0"/data; mount -t tmpfs -o size=4m,mode=777 none "$0"/data
      set -- ${user.join(' ')} "$@"`;
    assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, setUp, 'fillDisk.ts')), {
      uid: who === 'root' ? 0 : 1000,
      filled: [1, true],
      full: [0, 'new\n'],
      listed: ['a.txt', 'big', 'd/b.txt'],
      workspace: { 'a.txt': 'old' },
      next: [0, 'old'],
    });
  });

  test(`${who}: a command that is about to fill the disk with bytes or files is ended, and its copy emptied`, (t) => {
    const setUp = `mkdir "$0"/data; mount -t tmpfs -o size=100m,nr_inodes=4000,mode=777 none "$0"/data
      set -- ${user.join(' ')} "$@" flood`;
    const why =
      "It was ended because it filled the disk that holds the copies, in Gatehouse's data folder. The copy was emptied.";
    const each = [why, false, 'old'];
    assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, setUp, 'fillDisk.ts')), [...each, ...each]);
  });

  test(`${who}: where the disk under the copy has no room to set it up, the reason says so`, (t) => {
    const setUp = `mkdir "$0"/data; mount -t tmpfs -o size=4m,mode=777 none "$0"/data
      set -- ${user.join(' ')} "$@" set-up`;
    assert.deepEqual(JSON.parse(runIn(t, OWN_MOUNTS, setUp, 'fillDisk.ts')), [
      "The sandbox could not be set up, because the disk that holds Gatehouse's data is full. Nothing was run, and nothing was changed.",
      'old',
    ]);
  });
}
