import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { plantWorkspace, rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository, run } from './repository.ts';

const TOKEN = 'planted-57';
const ALLOWS_GIT = rulesOf('bash git * allow', 'fs.read src/secret.txt deny');

/** The secret differs in each commit, in the stash and in the work tree; a tag names its content. */
function makeHistory(secret: string): string {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ [secret]: `${TOKEN} 1\n`, 'README.md': 'a\n' });
  commit({ [secret]: `${TOKEN} 2 \n` });
  git('checkout', '-qb', 'other', 'HEAD~1');
  commit({ [secret]: `${TOKEN} 5\n` });
  git('checkout', '-q', 'main');
  git('merge', '-q', '-s', 'ours', 'other');
  write({ [secret]: `${TOKEN} 3\n` });
  git('stash');
  git('tag', 'content', `HEAD:${secret}`);
  write({ [secret]: `${TOKEN} 4\n` });
  return root;
}

const PRINTING = [
  // It isn't `--quiet`.
  'git diff -q',
  // With any option, the stash is printed as a patch.
  'git stash show -m',
  'git stash show -M stash@{0}',
  'git stash show --grep=x',
  // References, which may name any object.
  'git show -s --tags',
  'git show --stat --all',
  // These are paths, or values of the option before.
  'git diff -- --stat .',
  'git show HEAD~1 -- --stat .',
  'git show --until --stat HEAD~1',
  'git show --skip --name-only HEAD~1',
];

test('what git prints as a patch asks, whatever looks like a summary', async () => {
  const root = makeHistory('.env');
  for (const line of PRINTING) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.notEqual(await decideIn(line, root, DEFAULT_RULES), 'allow', line);
  }
});

test('a summary is allowed', async () => {
  const root = makeHistory('.env');
  for (const line of [
    'git diff --quiet',
    'git diff --cached --stat',
    'git diff HEAD~1 --name-only',
    'git diff --stat HEAD~1 -- README.md',
    'git show -q',
    'git show --oneline --stat HEAD~1',
    'git log -n 3 --stat',
    'git log --stat --all',
    'git stash show --stat',
    'git stash show --stat',
    'git stash list',
  ]) {
    assert.doesNotMatch(run(line, root), new RegExp(TOKEN), line);
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'allow', line);
  }
});

test('a denied file is not printed by options that imply a patch', async () => {
  const root = makeHistory('src/secret.txt');
  for (const line of [
    'git log --check',
    'git log --diff-merges=on --merges',
    'git log --remerge-diff --merges',
    'git show -s --indexed-objects',
    'git stash show -W -m',
    'git stash list -pW',
    "git show -W HEAD~1 -- ':(attr:!x)'",
    "git show -W HEAD~1 -- ':(attr:!exclude)src/secret.txt'",
  ]) {
    assert.match(run(line, root), new RegExp(TOKEN), line);
    assert.notEqual(await decideIn(line, root, [...DEFAULT_RULES, ...ALLOWS_GIT]), 'allow', line);
  }
});

test('git diff compares folders where there is no repository', async () => {
  const root = plantWorkspace(['a/.env', 'a/x', 'b/x', 'repository/x']);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', path.join(root, 'repository'), ...args], { stdio: 'ignore' });
  mkdirSync(path.join(root, 'c'));
  for (const line of [
    'git diff a c',
    'git diff -- c a',
    'git diff --stat -p a .',
    'cd b && git diff ../a ../c',
  ]) {
    assert.match(run(line, root), /a\/\.env/, line);
    assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask', line);
    const denying = [...DEFAULT_RULES, ...rulesOf('* **/.env deny')];
    assert.equal(await decideIn(line, root, denying), 'deny', line);
  }
  assert.equal(await decideIn('git diff a/x b/x', root, DEFAULT_RULES), 'allow');
  git('init', '-q');
  // Both lie outside the repository that git runs in.
  const line = 'cd repository && git diff ../a ../c';
  assert.match(run(line, root), /a\/\.env/);
  assert.equal(await decideIn(line, root, DEFAULT_RULES), 'ask');
  assert.equal(await decideIn('cd repository && git diff x x', root, DEFAULT_RULES), 'allow');
});
