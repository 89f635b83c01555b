import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { withDigest } from '../../../../src/declared/runloop/parseBundle.ts';
import { createIsNamedByGit } from '../../../../src/host/session/copy/findNamedByGit.ts';
import { listElsewhere } from '../../../../src/permissions/repository/elsewhere.ts';
import { findGitFolder } from '../../../../src/permissions/repository/gitFolder.ts';
import { cpuTime } from '../../cpuTime.ts';

/** Texts that a repository may bring to keep the host busy. */
const LONG = {
  lines: `${'\n'.repeat(30_000)}x`,
  returns: `${'\r'.repeat(30_000)}x`,
  section: `[a${' '.repeat(30_000)}x`,
  name: `[${'a'.repeat(30_000)}`,
};

/** A folder whose `.git` is a file that leads to a repository beside it, as that of a submodule does. */
function makeLinked(t: TestContext, config: string): string {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-long-')));
  t.after(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ['root/sub', 'root/.git/modules/sub/objects', 'root/.git/modules/sub/refs'])
    mkdirSync(path.join(top, name), { recursive: true });
  for (const name of ['root/.git/objects', 'root/.git/refs']) mkdirSync(path.join(top, name));
  const own = 'root/.git/modules/sub';
  for (const name of [own, 'root/.git'])
    writeFileSync(path.join(top, name, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(path.join(top, own, 'config'), config);
  writeFileSync(path.join(top, 'root/sub/.git'), `gitdir: ../.git/modules/sub\n`);
  return path.join(top, 'root/sub');
}

async function assertQuick(what: string, work: () => unknown): Promise<void> {
  const ms = await cpuTime(work);
  assert.ok(ms < 500, `${what}: ${Math.round(ms)} ms`);
}

test('the configuration of a repository is read in time in its length', async (t) => {
  for (const [what, text] of Object.entries(LONG)) {
    const root = makeLinked(t, text);
    const git = findGitFolder(root);
    assert.ok(git);
    await assertQuick(what, () => listElsewhere(git));
    const isNamed = createIsNamedByGit();
    await assertQuick(`${what}, named`, () => isNamed(path.join(root, 'a'), root));
  }
});

test('a submodule is still known by the work tree that its configuration names', async (t) => {
  for (const line of ['\n\tworktree = ../../../sub\r\n', '[core]\n worktree=../../../sub  ']) {
    const git = findGitFolder(makeLinked(t, line));
    assert.ok(git);
    assert.deepEqual(listElsewhere(git), []);
  }
});

test('a manifest of a bundle is read in time in its length', () =>
  assertQuick('lines', () => {
    assert.equal(withDigest(LONG.lines, ''), LONG.lines);
    const table = `[artifacts.tools]\n${LONG.lines}`;
    assert.equal(withDigest(table, ''), table);
  }));
