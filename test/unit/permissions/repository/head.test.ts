import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { findGitFolder } from '../../../../src/permissions/repository/gitFolder.ts';
import { readHead } from '../../../../src/permissions/repository/head.ts';
import { decideIn, makeFolder, openRepository, type Repository } from '../moves/repository.ts';

function open(file: string): Repository {
  const repository = openRepository(makeFolder());
  repository.git('init', '-q', '-b', 'main');
  repository.commit({ 'a.txt': 'a', [file]: 'x' });
  repository.commit({ 'a.txt': 'b' });
  return repository;
}

function read(root: string): string | undefined {
  const git = findGitFolder(root);
  assert.ok(git);
  return readHead(git);
}

test('the current commit is the one that git prints', () => {
  const { root, git } = open('src/a.ts');
  const print = () => git('rev-parse', 'HEAD').trim();
  assert.equal(read(root), print());
  git('pack-refs', '--all');
  assert.equal(read(root), print());
  git('checkout', '-q', '-b', 'feature/x', 'HEAD~1');
  assert.equal(read(root), print());
  git('checkout', '-q', '--detach', 'main');
  assert.equal(read(root), print());
  git('checkout', '-q', '--orphan', 'empty');
  assert.equal(read(root), undefined);
});

test('a reference that is no commit of a branch is not followed', () => {
  const { root, write } = open('src/a.ts');
  for (const head of ['ref: refs/heads/../../outside', 'ref: refs/tags/x', 'ref: refs/heads/a b'])
    for (const text of [head, `${head}\n`]) {
      write({ '.git/HEAD': text });
      assert.notEqual(tryRead(root), 'x');
      assert.equal(tryRead(root), undefined, text);
    }
});

function tryRead(root: string): string | undefined {
  try {
    return read(root);
  } catch {
    return undefined;
  }
}

const PRINTING = [
  'git show "$(git rev-parse HEAD)"',
  'git show $(git rev-parse HEAD)',
  'git diff "$(git rev-parse HEAD)"',
  'git log -p -1 "$(git rev-parse HEAD)"',
  'sha=$(git rev-parse HEAD); git show --stat "$sha"',
];

test('a command about $(git rev-parse HEAD) is decided like one about the commit', async () => {
  const { root } = open('src/a.ts');
  for (const line of PRINTING)
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'allow', line);
  for (const line of [
    'git show "$(git rev-parse HEAD):.env"',
    'git commit -qm x; git show "$(git rev-parse HEAD)"',
    'git show "$(git rev-parse HEAD~1)"',
    'git checkout "$(git rev-parse HEAD)"',
    '"$(git rev-parse HEAD)"',
  ])
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
});

test('it asks where that commit has a secret', async () => {
  const { root, commit } = open('.env');
  commit({ '.env': 'y' });
  for (const line of PRINTING.slice(0, 2))
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
});
