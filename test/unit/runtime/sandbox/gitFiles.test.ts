import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { hasSameContent } from '../../../../src/runtime/sandbox/changes/sameContent.ts';
import { findRepositories } from '../../../../src/runtime/sandbox/linux/worktrees.ts';
import { openSandboxBed } from './bed.ts';

function temporary(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'git-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test('an index that a command made larger than the memory is a change', (t) => {
  const folder = temporary(t);
  const [copy, file] = [path.join(folder, 'copy'), path.join(folder, 'index')];
  // Its header names a billion entries; the file itself takes no room on the disk.
  const header = Buffer.from([...Buffer.from('DIRC'), 0, 0, 0, 2, 0x3f, 0xff, 0xff, 0xff]);
  for (const [name, size] of [
    [copy, 1_900_000_000],
    [file, 60_000_000],
  ] as const) {
    writeFileSync(name, header);
    truncateSync(name, size);
  }
  const source = path.resolve('src/runtime/sandbox/changes/gitNoise.ts');
  const line = `const { isGitNoise } = await import(${JSON.stringify(source)});
    const change = { path: '.git/index', type: 'changed', kind: 'file' };
    console.log(isGitNoise({ ...change, copy: Buffer.from(process.argv[1]), file: Buffer.from(process.argv[2]) }));`;
  const node = ['--max-old-space-size=100', '--input-type=module', '-e', line];
  for (const files of [
    [copy, copy],
    [copy, file],
  ]) {
    const ran = spawnSync(process.execPath, [...node, ...files], { encoding: 'utf8' });
    assert.equal(ran.stdout, 'false\n', ran.stderr);
  }
});

test('a FIFO that takes the place of a file holds no comparison up, and an abort ends one', async (t) => {
  const folder = temporary(t);
  const at = (name: string) => Buffer.from(path.join(folder, name));
  for (const name of ['one', 'other']) writeFileSync(at(name), 'same');
  execFileSync('mkfifo', [path.join(folder, 'fifo')]);
  const { signal } = new AbortController();
  const compare = (name: string) => hasSameContent(at('one'), at(name), signal);
  assert.equal(await compare('other'), true);
  assert.equal(await compare('fifo'), false);
  await assert.rejects(hasSameContent(at('one'), at('other'), AbortSignal.abort()));
});

test('a folder that some file systems take for .git is one', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const line = 'mkdir -p .GIT/hooks sub/.Git a.git; touch .GIT/hooks/x sub/.Git/x a.git/x .gitx';
  await bed.run(held.start({ masks: [] }), line);
  const changes = await held.changes(new AbortController().signal);
  assert.ok(changes.ok);
  const names = changes.data.git.map((change) => change.path);
  assert.deepEqual(names, ['.GIT', '.GIT/hooks', '.GIT/hooks/x', 'sub/.Git', 'sub/.Git/x']);
});

test('no folder above the workspace or in it is taken for the repository of a worktree', (t) => {
  const folder = temporary(t);
  const root = path.join(folder, 'worktrees');
  mkdirSync(path.join(root, 'worktrees/x'), { recursive: true });
  mkdirSync(path.join(root, 'x'));
  for (const named of ['x', 'worktrees/x']) {
    writeFileSync(path.join(root, '.git'), `gitdir: ${named}\n`);
    writeFileSync(path.join(root, named, 'gitdir'), path.join(root, '.git'));
    assert.deepEqual(findRepositories([root], '/nonexistent'), []);
  }
});

test('a FIFO where a worktree names its repository holds nothing up', async () => {
  await using bed = await openSandboxBed();
  execFileSync('mkfifo', [path.join(bed.workspace, '.git')]);
  const held = await bed.hold();
  assert.equal((await bed.run(held.start({ masks: [] }), 'echo ran')).output, 'ran\n');
});
