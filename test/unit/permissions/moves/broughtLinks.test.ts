import assert from 'node:assert/strict';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder, makeRepository, type Repository, run } from './repository.ts';

const RULES = ['bash cat * allow', 'bash echo * allow', 'bash head * allow', 'fs.* ** allow'];

/** The branch `linked` has a link to a folder outside, and one in the place of `a.ts`. */
function plant(rules: readonly string[] = []): { repository: Repository; outside: string } {
  const repository = makeRepository([...RULES, ...rules]);
  const { root, git } = repository;
  const outside = makeFolder();
  writeFileSync(path.join(outside, 'secret'), 'the secret\n');
  git('checkout', '-q', '-b', 'linked');
  symlinkSync(outside, path.join(root, 'src', 'out'));
  rmSync(path.join(root, 'a.ts'));
  symlinkSync(path.join(outside, 'secret'), path.join(root, 'a.ts'));
  git('add', '-A');
  git('commit', '-qm', 'links');
  git('checkout', '-q', 'main');
  return { repository, outside };
}

for (const line of [
  'git checkout -q linked && cat src/out/secret',
  'git checkout -q linked; cat a.ts',
  'git switch -q linked && head a.ts',
  'git merge -q linked && cat a.ts',
  'git merge -q linked; cat < a.ts',
  'git checkout -q linked; cat src/../a.ts',
  'git checkout -q linked; cd src && cat ../a.ts',
  'git checkout -q linked; cd src && cat out/secret',
  'git checkout -q linked; (cd src/out; cat secret)',
  'cd src && git checkout -q linked && cat out/secret',
  'git -C src checkout -q linked; cat a.ts',
  'git checkout -q linked; f=a.ts; cat $f',
]) {
  test(`what git brings is no way to a file outside: ${line}`, async () => {
    const { repository } = plant();
    assert.equal((await repository.decide(line)).decision, 'ask');
    assert.match(run(line, repository.root), /the secret/);
  });
}

test('a link that git brings is not written through unasked', async () => {
  const { repository } = plant();
  for (const line of [
    'git checkout -q linked && echo x > a.ts',
    'git switch -q linked; echo x > src/out/new',
    'cat a.ts & git switch -q linked',
  ])
    assert.equal((await repository.decide(line)).decision, 'ask', line);
});

test('a stash and a picked commit bring links, too', async () => {
  const { repository } = plant();
  const { git, root, decide } = repository;
  assert.equal((await decide('git cherry-pick linked; cat a.ts')).decision, 'ask');
  rmSync(path.join(root, 'a.ts'));
  symlinkSync('src/b.ts', path.join(root, 'a.ts'));
  git('stash');
  assert.equal((await decide('git stash pop; cat a.ts')).decision, 'ask');
  assert.equal((await decide('git stash pop; cat src/b.ts')).decision, 'allow');
});

test('what git fetches first may be a link, although a rule has the whole command', async () => {
  const { repository } = plant(['bash "git pull" allow']);
  assert.equal((await repository.decide('git pull')).decision, 'allow');
  assert.equal((await repository.decide('git pull && cat a.ts')).decision, 'ask');
});

test('files that git brings are read without asking', async () => {
  const { repository } = plant();
  for (const line of [
    'git checkout -q plain && cat src/new.ts',
    'git checkout -q linked && cat src/b.ts',
    'cat src/b.ts; git checkout -q linked',
    'git checkout -q linked; echo done',
  ])
    assert.equal((await repository.decide(line)).decision, 'allow', line);
});
