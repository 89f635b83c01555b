import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openSandboxBed, type SandboxBed } from './bed.ts';

const { signal } = new AbortController();

/** Runs a command and settles all that it changed, but for what is below `kept`; lists it. */
async function run(bed: SandboxBed, command: string, kept = '.none'): Promise<[string, string[]]> {
  const held = await bed.hold();
  const { output } = await bed.run(held.start({ masks: [] }), command);
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  const all = [...changes.data.files, ...changes.data.git];
  await held.drop(all.filter((change) => !change.path.startsWith(kept)));
  held.release();
  return [output, all.map((change) => `${change.type} ${change.path}`)];
}

test('a file that a command wrote as it was is the workspace’s own for the next command', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('src'));
  for (const name of ['a', 'src/b', 'c']) writeFileSync(at(name), 'old\n');
  const touch = 'touch a; cat src/b >b; cat b >src/b; rm b; chmod 600 c; chmod 644 c';
  assert.deepEqual(await run(bed, touch), ['', []]);
  for (const name of ['a', 'src/b', 'c']) writeFileSync(at(name), 'new\n');
  assert.deepEqual(await run(bed, 'cat a src/b c'), ['new\nnew\nnew\n', []]);
});

test('a folder in which a command changed something is the workspace’s own once that is settled', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('src/deep'), { recursive: true });
  mkdirSync(at('out'));
  for (const name of ['src/deep/a', 'src/b', 'out/c']) writeFileSync(at(name), 'old\n');
  const [, changes] = await run(
    bed,
    'echo x >src/deep/a; rm src/b; touch out/c; mkdir -p build/x',
    'build',
  );
  assert.deepEqual(changes, [
    'added build',
    'added build/x',
    'deleted src/b',
    'changed src/deep/a',
  ]);
  for (const name of ['src', 'out']) rmSync(at(name), { recursive: true });
  assert.deepEqual(await run(bed, 'ls', 'build'), ['build\n', ['added build', 'added build/x']]);
});

test('what is kept deleted in the copy stays so, with the folder that hides it', async () => {
  await using bed = await openSandboxBed();
  mkdirSync(path.join(bed.workspace, 'dist/sub'), { recursive: true });
  for (const name of ['dist/a', 'dist/sub/b', 'c'])
    writeFileSync(path.join(bed.workspace, name), 'old');
  const deleted = ['deleted dist/a', 'deleted dist/sub', 'deleted dist/sub/b'];
  const [, changes] = await run(bed, 'rm -r dist; mkdir dist; echo x >c', 'dist');
  assert.deepEqual(changes, ['changed c', ...deleted]);
  assert.deepEqual(await run(bed, 'ls dist', 'dist'), ['', deleted]);
});

test('a folder that was made anew with the same files in it hides nothing', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('src/sub'), { recursive: true });
  for (const name of ['src/a', 'src/sub/b']) writeFileSync(at(name), 'old\n');
  const anew = 'cp -r src /tmp/src; rm -r src; cp -r /tmp/src src; touch new; rm new';
  assert.deepEqual(await run(bed, anew), ['', []]);
  for (const name of ['src/a', 'src/c', 'src/sub/b', 'new']) writeFileSync(at(name), 'new\n');
  const line = 'cat src/a src/c src/sub/b new';
  assert.deepEqual(await run(bed, line), ['new\nnew\nnew\nnew\n', []]);
});

test('a mode that a command gave a folder is kept while it is not settled', async () => {
  await using bed = await openSandboxBed();
  mkdirSync(path.join(bed.workspace, 'out'));
  writeFileSync(path.join(bed.workspace, 'out/a'), 'old');
  const changes = ['mode out'];
  assert.deepEqual(await run(bed, 'touch out/a; chmod 700 out', 'out'), ['', changes]);
  assert.deepEqual(await run(bed, 'stat -c %a out', 'out'), ['700\n', changes]);
});

test('git in the copy sees what was committed outside after it refreshed the index', async () => {
  await using bed = await openSandboxBed();
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      cwd: bed.workspace,
      stdio: 'pipe',
    });
  git('init', '-q');
  writeFileSync(path.join(bed.workspace, 'a'), 'a');
  git('add', 'a');
  git('commit', '-qm', 'a');
  const line =
    'git -c safe.directory=* update-index --really-refresh --force-write-index; git -c safe.directory=* status --short';
  assert.deepEqual(await run(bed, line), ['', []]);
  writeFileSync(path.join(bed.workspace, 'b'), 'b');
  git('add', 'b');
  git('commit', '-qm', 'b');
  assert.deepEqual(await run(bed, 'git -c safe.directory=* status --short'), ['', []]);
});

test('a command may delete a repository, or make a folder of what git notes there', async () => {
  await using bed = await openSandboxBed();
  for (const name of ['sub/.git', '.git']) {
    mkdirSync(path.join(bed.workspace, name), { recursive: true });
    writeFileSync(path.join(bed.workspace, name, 'FETCH_HEAD'), 'old');
  }
  const deleted = ['deleted sub', 'deleted sub/.git'];
  assert.deepEqual(await run(bed, 'rm -r sub'), ['', deleted]);
  assert.deepEqual(await run(bed, 'mv sub/.git x; rm -r x'), ['', ['deleted sub/.git']]);
  assert.deepEqual(await run(bed, 'echo new >.git/FETCH_HEAD'), ['', []]);
  const made = 'rm .git/FETCH_HEAD; mkdir .git/FETCH_HEAD; touch .git/FETCH_HEAD/x';
  const changes = ['changed .git/FETCH_HEAD', 'added .git/FETCH_HEAD/x'];
  assert.deepEqual(await run(bed, made), ['', changes]);
  assert.deepEqual(await run(bed, 'cat .git/FETCH_HEAD sub/.git/FETCH_HEAD'), ['oldold', []]);
});

test('the next command sees the mode that a folder got in the workspace, and may change it again', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  for (const name of ['empty', 'kept', 'hiding']) {
    mkdirSync(at(name));
    writeFileSync(path.join(at(name), 'a'), 'old');
    chmodSync(at(name), 0o755);
  }
  const first = `chmod 700 empty kept; echo x >kept/b; rm -r hiding; mkdir -m 700 hiding`;
  const held = await bed.hold();
  await bed.run(held.start({ masks: [] }), first);
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  const modes = changes.data.files.filter(({ type }) => type === 'mode');
  assert.deepEqual(
    modes.map(({ path: name }) => name),
    ['empty', 'hiding', 'kept'],
  );
  for (const { path: name } of modes) chmodSync(at(name), 0o700);
  await held.drop(modes);
  const look = 'stat -c %a empty kept hiding; ls kept hiding; chmod 750 empty kept';
  const { output } = await bed.run(held.start({ masks: [] }), look);
  assert.equal(output, '700\n700\n700\nhiding:\n\nkept:\na\nb\n');
  const now = await held.changes(signal);
  assert.ok(now.ok);
  const listed = now.data.files
    .filter(({ path: name }) => name !== 'kept/b')
    .map((change) => [change.path, change.type, change.isConflict]);
  assert.deepEqual(listed, [
    ['empty', 'mode', false],
    ['kept', 'mode', false],
    ['hiding/a', 'deleted', false],
  ]);
  held.release();
});

test('what you save of a file that the copy kept is a conflict, though a later command put another in its place', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  for (const name of ['kept', 'kept2', 'dropped']) writeFileSync(at(name), 'old\n');
  await run(bed, 'echo copy >kept; echo copy >kept2; echo copy >made; echo copy >dropped', 'kept');
  // A command that was stopped before it began.
  const stopped = await bed.hold();
  await stopped.changes(signal);
  stopped.release();
  for (const name of ['kept', 'dropped']) writeFileSync(at(name), 'user\n');
  const held = await bed.hold();
  const line = 'cat kept dropped; for f in kept dropped; do sed -i s/$/x/ $f; done; echo x >made';
  const { output } = await bed.run(held.start({ masks: [] }), line);
  assert.equal(output, 'copy\nuser\n');
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  assert.deepEqual(
    changes.data.files.map((change) => [change.path, change.isConflict]),
    [
      ['dropped', false],
      ['kept', true],
      ['kept2', false],
      ['made', false],
    ],
  );
  held.release();
});
