import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository, type Repository, run } from './repository.ts';

const TOKEN = 'planted-91';
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Two commits that change every file. `secret` holds the token. */
function makeSecret(secret: string): Repository {
  const repository = openRepository(makeFolder());
  const { git, commit } = repository;
  git('init', '-q', '-b', 'main');
  commit({ 'src/a.ts': 'a', 'lib/deep/b.ts': 'b', [secret]: `${TOKEN} 1\n` });
  commit({ 'src/a.ts': 'b', 'lib/deep/b.ts': 'c', [secret]: `${TOKEN} 2\n` });
  commit({ 'src/a.ts': 'c' });
  git('tag', 'content', git('rev-parse', `HEAD:${secret}`).trim());
  git('tag', 'v1');
  return repository;
}

test('a tracked secret asks whatever names its content', async () => {
  const { root, git } = makeSecret('conf/x/.env');
  const id = git('rev-parse', 'HEAD:conf/x/.env').trim();
  const tree = git('rev-parse', 'HEAD:conf').trim();
  for (const line of [
    `git show ${id} -- src`,
    'git show -s content',
    'git show -s content -- src',
    'git show --stat content',
    `git show --stat ${id} -- src`,
    `git show ${tree}:x/.env`,
    `git cat-file -p ${tree}:x/.env`,
    `git cat-file -p ${tree}:./x/../x/.env`,
    'git diff HEAD~2:conf HEAD:conf -- x',
    `git diff ${EMPTY_TREE} ${tree} -- x`,
    'git show "HEAD^{/x}~1"',
    "git show 'HEAD@{1}'",
    `git grep -e . ${id} -- src`,
    'git grep -e . HEAD:conf -- x',
    'git for-each-ref --format="%(raw)"',
    'git tag --format="%(raw)"',
  ]) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
  }
});

test('a search of tracked secrets asks, since what it finds tells their content', async () => {
  const { root } = makeSecret('conf/x/.env');
  for (const line of [
    'git grep -l planted',
    'git grep -c planted',
    'git grep -q planted',
    'git log -Splanted-91 --oneline',
    'git log -G planted --oneline',
    'git log --oneline -G planted -- conf',
    'git diff --stat -G planted HEAD~2',
  ])
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
  for (const line of ['git grep -l a -- src', 'git log -Sx --oneline -- src'])
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'allow', line);
});

const NAMED = [
  'git show main:src/a.ts',
  'git show HEAD:src/a.ts v1:src/a.ts',
  'git show -s v1',
  'git show --stat main',
  'git show --stat HEAD~1',
  'git show main',
  'git diff main~1 v1',
  'git diff v1 -- src/a.ts',
  'git cat-file -p main',
  'git cat-file -p HEAD:src/a.ts',
  'git cat-file -p v1:src/a.ts',
  'cd lib && git show HEAD:src/a.ts',
  'git -C lib show main:src/a.ts',
] as const;

for (const [secret, rules] of [
  ['conf/x/.env', []],
  ['secrets/key', ['fs.read secrets/** deny']],
] as const)
  test(`what names commits, or their other files than ${secret}, does not ask`, async () => {
    const { root } = makeSecret(secret);
    for (const line of NAMED)
      assert.equal(
        await decideIn(line, root, [...DEFAULT_RULES, ...rulesOf(...rules)]),
        'allow',
        line,
      );
  });

test('a deny holds whatever names the content of the file', async () => {
  const { root, git } = makeSecret('secrets/key');
  const [id, tree, old] = ['HEAD:secrets/key', 'HEAD:secrets', 'HEAD~2:secrets'].map((name) =>
    git('rev-parse', name).trim(),
  );
  const rules = [...DEFAULT_RULES, ...rulesOf('bash git * allow', 'fs.read secrets/** deny')];
  for (const line of [
    `git show ${id}`,
    `git show ${id} -- src`,
    `git show -s ${id}`,
    `git show -s ${id} -- src`,
    'git show -s content',
    `git cat-file -p ${id}`,
    'git cat-file blob content',
    `git show ${tree}:key`,
    `git cat-file -p ${tree}:key`,
    `git diff ${EMPTY_TREE} ${tree}`,
    `git diff ${old} ${tree}`,
    `git diff ${old} ${tree} -- key`,
    `git diff ${old}..${tree}`,
    'git diff HEAD~2:secrets HEAD:secrets -- key',
    `git grep . ${tree}`,
  ]) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.notEqual(await decideIn(line, root, rules), 'allow', line);
  }
  // A file with the name of the tree doesn't make it a path.
  writeFileSync(path.join(root, `${tree}`), '');
  writeFileSync(path.join(root, EMPTY_TREE), '');
  assert.notEqual(await decideIn(`git diff ${EMPTY_TREE} ${tree} --`, root, rules), 'allow');
});

test('a deny of another folder holds for what git prints of the whole repository', async () => {
  const { root } = makeSecret('secrets/key');
  const rules = [
    ...DEFAULT_RULES,
    ...rulesOf('bash git * allow', 'bash cd * allow', 'fs.read secrets/** deny'),
  ];
  for (const line of [
    'cd lib && git log -p',
    'git -C lib log -p',
    'cd lib && git log -p ..',
    'cd lib && git whatchanged -p',
    'cd lib && git reflog -p',
    'cd lib && git show HEAD~1',
    'cd lib && git show HEAD:secrets/key',
    'git -C lib show HEAD:secrets/key',
    'cd lib && git cat-file -p HEAD:secrets/key',
    'cd lib/deep && git show :secrets/key',
    'cd lib && git grep planted ../secrets',
    'cd lib && git grep planted HEAD -- :/',
    'cd lib && git grep --no-index planted ../secrets',
  ]) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.notEqual(await decideIn(line, root, rules), 'allow', line);
  }
  for (const line of ['cd lib && git log -p -- .', 'cd lib && git grep b', 'cd lib && git show'])
    assert.equal(await decideIn(line, root, rules), 'allow', line);
});

test('in a folder of a repository, a file outside the workspace asks', async () => {
  const { root } = makeSecret('secrets/key');
  const lib = path.join(root, 'lib');
  for (const line of ['git show HEAD:secrets/key', 'git cat-file -p HEAD:secrets/key']) {
    assert.match(run(line, lib), new RegExp(TOKEN));
    assert.equal(await decideIn(line, lib, DEFAULT_RULES), 'ask', line);
  }
  assert.equal(await decideIn('git show HEAD:lib/deep/b.ts', lib, DEFAULT_RULES), 'allow');
  assert.equal(await decideIn('git show HEAD:./deep/b.ts', lib, DEFAULT_RULES), 'allow');
});

test('a link to a folder of another repository leads to the configuration of that one', async () => {
  const { root, git } = makeSecret('secrets/key');
  const other = path.join(root, 'vendor');
  mkdirSync(path.join(other, 'deep'), { recursive: true });
  git('init', '-q', other);
  symlinkSync('vendor/deep', path.join(root, 'link'));
  assert.equal(await decideIn('cd link && git status', root, DEFAULT_RULES), 'allow');
  appendFileSync(path.join(other, '.git/config'), '[core]\n\tfsmonitor = ./evil\n');
  for (const line of ['cd link && git status', 'git -C link status', 'cd vendor && git status'])
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
});
