import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository, type Repository, run } from './repository.ts';

const TOKEN = 'planted-83';
/** The rule of README. */
const RULES = [...DEFAULT_RULES, ...rulesOf('* **/.env deny')];

/** A repository in whose history `file` was changed and removed. */
function makePast(file: string): Repository {
  const repository = openRepository(makeFolder());
  const { git, commit } = repository;
  git('init', '-q', '-b', 'main');
  commit({ 'src/a.ts': 'a', [file]: `${TOKEN} 1\n` });
  commit({ 'src/a.ts': 'b', [file]: `${TOKEN} 2\n` });
  git('tag', 'old');
  git('branch', 'with');
  commit({ [file]: null });
  commit({ 'src/a.ts': 'c' });
  return repository;
}

const PRINTING = [
  'git show HEAD~3..HEAD~1',
  'git show --all',
  'git show --branches',
  'git show --tags',
  'git show HEAD~2 HEAD~3..HEAD~2',
  'git show HEAD~2^!',
  'git show ^HEAD~3 HEAD~1',
  'git diff HEAD~2^{tree} HEAD',
  'git diff HEAD~3^{tree} HEAD~2^{tree}',
  'git diff HEAD~2:conf HEAD~3:conf',
  'git diff --merge-base old~1 old',
  'git diff -S planted HEAD~2 HEAD',
  'git diff -G planted HEAD~2 HEAD',
  'git show -S planted HEAD~1',
  'git diff -C -C HEAD~2 HEAD',
  'git diff --diff-filter D HEAD~2 HEAD',
] as const;

test('a denied file of the past is not printed by commands that git cannot list', async () => {
  const { root } = makePast('conf/.env');
  const found: string[] = [];
  for (const line of PRINTING) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    if ((await decideIn(line, root, RULES)) === 'allow') found.push(line);
  }
  assert.deepEqual(found, []);
});

/** Each is allowed by the user's own rule. */
const PLUMBING = [
  'git log -p',
  'git -P log -p',
  'git --no-pager log -U1',
  'git log --patch-with-stat',
  'git log --remerge-diff -p',
  'git log -g -p with',
  'git log --follow -p with -- src/moved.ts',
  'git log -L1,1:src/moved.ts with',
  'git log -L1,1:conf/.env old',
  'git log --full-diff -p old -- src/a.ts',
  'git show --full-diff old -- src/a.ts',
  'git diff-tree -p --full-diff old -- src/a.ts',
  'git whatchanged -p',
  'git reflog -p',
  'git diff-tree -p HEAD~3 HEAD~2',
  'git -P diff-tree -p HEAD~2',
  'git diff-index -p HEAD~2',
  'git diff-index --cached -p old',
  'git format-patch --stdout HEAD~3',
  'git archive old',
  'git archive old conf',
  'git archive old -- conf',
  'git merge-tree old~1 old other',
  'git range-diff --creation-factor=100 old~1..old old~1..other',
  'git show old:conf/.env',
  'git -P cat-file -p old:conf/.env',
  'git cat-file -p content',
  'git -P cat-file blob content',
] as const;

test('a denied file of the past is not printed by any command that a wildcard allows', async () => {
  const { root, git, commit } = makePast('conf/.env');
  git('tag', 'content', 'old:conf/.env');
  git('checkout', '-q', 'with');
  git('mv', 'conf/.env', 'src/moved.ts');
  commit({});
  git('checkout', '-qb', 'other', 'old~1');
  commit({ 'src/a.ts': 'b', 'conf/.env': `${TOKEN} 3\n` });
  git('checkout', '-q', 'main');
  const rules = [...RULES, ...rulesOf('bash git * allow', 'fs.write src/* allow')];
  const found: string[] = [];
  for (const line of PLUMBING) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    if ((await decideIn(line, root, rules)) === 'allow') found.push(line);
  }
  assert.deepEqual(found, []);
});

test('nor is it if only the command names its commits', async () => {
  const { root, git } = makePast('conf/.env');
  const [from, to] = [git('rev-parse', 'old~1').trim(), git('rev-parse', 'old').trim()];
  git('checkout', '-q', '--orphan', 'fresh');
  git('rm', '-rqf', '.');
  git('commit', '-qm', 'x', '--allow-empty');
  git('branch', '-qD', 'main', 'with');
  git('tag', '-d', 'old');
  git('reflog', 'expire', '--expire=now', '--all');
  for (const line of [`git show ${from}..${to}`, `git diff ${from}^{tree} ${to}`]) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.notEqual(await decideIn(line, root, RULES), 'allow', line);
  }
});

test('nor is it if another command of the line keeps git from listing', async () => {
  for (const [file, expected] of [
    ['conf/.env', 'ask'],
    ['conf/x.ts', 'allow'],
  ] as const) {
    const { root } = makePast(file);
    const rules = [...RULES, ...rulesOf('fs.write src/* allow')];
    for (const line of ['git diff HEAD~2 HEAD > src/out.txt', 'echo x > src/b; git show HEAD~2'])
      assert.equal(await decideIn(line, root, rules), expected, line);
  }
});

test('these commands do not ask where no such file ever was', async () => {
  const { root } = makePast('conf/x.ts');
  const found: string[] = [];
  for (const line of PRINTING)
    if ((await decideIn(line, root, RULES)) !== 'allow') found.push(line);
  assert.deepEqual(found, []);
});

test('nor where the paths leave it out', async () => {
  const { root } = makePast('conf/.env');
  for (const line of ['git show HEAD~3..HEAD -- src', 'git show --all -- src'])
    assert.equal(await decideIn(line, root, RULES), 'allow', line);
});

test('a secret of the past asks by the shipped rules, whichever rule allows the command', async () => {
  const { root, git } = makePast('conf/.env');
  git('tag', 'content', 'old:conf/.env');
  const rules = [...DEFAULT_RULES, ...rulesOf('bash git * allow', 'fs.write src/* allow')];
  const found: string[] = [];
  for (const line of [...PRINTING, ...PLUMBING, ...SHIPPED]) {
    if (!/--creation|moved|other/.test(line))
      assert.match(run(line, root), new RegExp(TOKEN), line);
    if ((await decideIn(line, root, rules)) === 'allow') found.push(line);
  }
  for (const line of SHIPPED)
    if ((await decideIn(line, root, DEFAULT_RULES)) === 'allow') found.push(line);
  assert.deepEqual(found, []);
});

/** What the shipped rules allow in other repositories. */
const SHIPPED = ['git log -p', 'git log -p -3', 'git log --all -S planted -p', 'git reflog -p'];

test('nor do the shipped rules ask where git says that no secret is printed', async () => {
  const past = makePast('conf/.env').root;
  for (const line of ['git log -p -1', 'git log -1 -p', 'git log -p -- src', 'git log --oneline'])
    assert.equal(await decideIn(line, past, DEFAULT_RULES), 'allow', line);
  // Filters choose other commits than the newest.
  for (const line of ['git log -p -1 -S planted', 'git log -p -1 --skip=1', 'git log -p -1 with'])
    assert.equal(await decideIn(line, past, DEFAULT_RULES), 'ask', line);
  for (const file of ['conf/x.ts', 'conf/.env.example']) {
    const { root } = makePast(file);
    for (const line of SHIPPED)
      assert.equal(await decideIn(line, root, DEFAULT_RULES), 'allow', `${file}: ${line}`);
  }
});
