import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createJournal, type Journal } from '../../../src/runtime/files/journal.ts';
import { createLocalFiles } from '../../../src/runtime/files/localFiles.ts';
import { ALLOW_ALL, type Bed, openBed } from '../tools/bed.ts';

/** Whose a file is and what its mode and its folder's are, before an edit by user `ME`. */
interface Given {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly folder?: { readonly uid: number; readonly mode: number };
}

/** What became of the file. A file in place keeps its inode; one that was replaced does not. */
type Kept = 'in place' | 'replaced' | 'refused';

const ME = 65_534;
const OTHER = 65_533;

check('own', { uid: ME, gid: ME, mode: 0o640 }, 'replaced');
check('somebody else’s that may be written', { uid: OTHER, gid: ME, mode: 0o666 }, 'in place');
check('of a group that cannot be given', { uid: ME, gid: OTHER, mode: 0o660 }, 'in place');
check('somebody else’s that may not be written', { uid: OTHER, gid: ME, mode: 0o644 }, 'refused');
check('own and read-only', { uid: ME, gid: ME, mode: 0o444 }, 'refused');
check(
  'own, in a folder that takes no new file',
  { uid: ME, gid: ME, mode: 0o644, folder: { uid: OTHER, mode: 0o755 } },
  'in place',
);

/**
 * Whether this process may give files away and become another user for a while: not unless it is root,
 * nor where root has no other users to become, as in some containers.
 */
const BECOMES_OTHERS = (() => {
  if (process.geteuid?.() !== 0) return false;
  using bed = openBed();
  chmodSync(bed.root, 0o755);
  const groups = process.getgroups?.() ?? [];
  try {
    chownSync(bed.workspace, OTHER, OTHER);
    process.setgroups?.([ME]);
    process.setegid?.(ME);
    process.seteuid?.(ME);
    // Other users must be able to enter this folder too.
    statSync(bed.workspace);
    return true;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    restoreGroups(groups);
  }
})();

function restoreGroups(groups: readonly number[]): void {
  try {
    process.setgroups?.([...groups]);
  } catch {
    // It could not be changed before either.
  }
}

test('a file that is a mount point is written in place', (t) => {
  using bed = openBed();
  const [inside, behind] = ['f', 'behind'].map((name) => path.join(bed.workspace, name));
  assert.ok(inside && behind);
  for (const file of [inside, behind]) writeFileSync(file, 'old\n');
  const rules = path.join(bed.root, 'rules.json');
  writeFileSync(rules, JSON.stringify(ALLOW_ALL));
  const mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  // Only these processes see the mount; some systems don't permit one.
  const flags = ['-rm', '-m'].find(
    (each) => runIn(each, mount, [behind, inside, 'true']).status === 0,
  );
  if (flags === undefined) {
    t.diagnostic('this system does not let a process mount anything for itself');
    return;
  }
  const input = JSON.stringify({ path: 'f', old_string: 'old', new_string: 'newer' });
  const words = ['call', 'edit', input, '--workspace', bed.workspace, '--rules', rules];
  const host = [process.execPath, path.join(import.meta.dirname, '../../../src/host/cli/main.ts')];
  const data = ['--user-data', bed.data];
  const ran = runIn(flags, mount, [behind, inside, ...host, ...words, ...data]);
  assert.equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
  assert.equal(readFileSync(behind, 'utf8'), 'newer\n');
  assert.equal(readFileSync(inside, 'utf8'), 'old\n');
  assert.deepEqual(readdirSync(bed.workspace).sort(), ['behind', 'f']);
});

function runIn(flags: string, script: string, words: readonly string[]) {
  return spawnSync('unshare', [flags, 'bash', '-c', script, 'bash', ...words], {
    encoding: 'utf8',
  });
}

/** Only root can make files of others, so another user sees the cases of own files alone. */
function check(name: string, given: Given, expected: Kept): void {
  test(`a file that is ${name} is ${expected}, with its owner, its group and its mode`, async (t) => {
    const others = given.uid !== ME || given.gid !== ME || given.folder !== undefined;
    if (!BECOMES_OTHERS && (others || process.geteuid?.() === 0)) {
      t.diagnostic('applies only where this process may become another user');
      return;
    }
    using bed = openBed();
    const { file, files, journal } = prepare(bed, given);
    const before = statSync(file);
    const written = await as(ME, t, async () => {
      const read = await files.readText('sub/f');
      assert.ok(read.ok);
      return files.splice(read.data, [{ start: 0, end: 3, text: 'newer' }]);
    });
    const after = statSync(file);
    const kept = after.ino === before.ino ? 'in place' : 'replaced';
    assert.equal(written.ok ? kept : 'refused', expected, written.ok ? '' : written.error);
    assert.equal(readFileSync(file, 'utf8'), written.ok ? 'newer\n' : 'old\n');
    const facts = ({ uid, gid, mode }: typeof after) => ({ uid, gid, mode });
    assert.deepEqual(facts(after), facts(before));
    assert.deepEqual(readdirSync(path.dirname(file)), ['f']);
    assert.deepEqual(readdirSync(journal), []);
    if (!written.ok) assert.match(written.error, /nothing was changed/i);
  });
}

function prepare(bed: Bed, { uid, gid, mode, folder }: Given) {
  const sub = path.join(bed.workspace, 'sub');
  const file = path.join(sub, 'f');
  const state = path.join(bed.data, 'state');
  mkdirSync(sub);
  mkdirSync(path.join(state, 'journal'), { recursive: true });
  writeFileSync(file, 'old\n');
  if (BECOMES_OTHERS) {
    for (const each of [bed.root, bed.workspace, bed.data]) chmodSync(each, 0o755);
    chownSync(path.join(state, 'journal'), ME, ME);
    chownSync(file, uid, gid);
    chownSync(sub, folder?.uid ?? ME, ME);
    chmodSync(sub, folder?.mode ?? 0o755);
  }
  chmodSync(file, mode);
  const journal: Journal = createJournal(state);
  const files = createLocalFiles({
    folders: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
    gate: {
      authorize: async () => ({ ok: true, data: undefined }),
      realPath: () => undefined,
      filterBelow: () => undefined,
      authorizeAddress: async () => ({ ok: true, data: undefined }),
    },
    journal,
    signal: new AbortController().signal,
  });
  return { file, files, journal: path.join(state, 'journal') };
}

/** Runs `work` as that user, where this process may switch users. */
async function as<Result>(user: number, t: TestContext, work: () => Promise<Result>) {
  if (!BECOMES_OTHERS) return work();
  const groups = process.getgroups?.() ?? [];
  const back = () => {
    process.seteuid?.(0);
    process.setegid?.(0);
    restoreGroups(groups);
  };
  t.after(back);
  process.setgroups?.([user]);
  process.setegid?.(user);
  process.seteuid?.(user);
  try {
    return await work();
  } finally {
    back();
  }
}
