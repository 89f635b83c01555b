import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Decision } from '../../../../src/permissions/rules/policy.ts';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';
import { makeFolder, openRepository } from '../moves/repository.ts';

/** A repository of which only the folder `ws` is open. What lies outside contains `OUTSIDE`. */
const repository = openRepository(makeFolder());
const { root, git, commit } = repository;
const workspace = path.join(root, 'ws');
git('init', '-q', '-b', 'main');
const MOVED = 'x\n'.repeat(20);
commit({
  'top.txt': 'OUTSIDE',
  'other/s.txt': 'OUTSIDE',
  'moved.ts': `OUTSIDE\n${MOVED}`,
  'ws/src/a.ts': 'in',
  'ws/b.ts': 'in',
});
commit({ 'moved.ts': MOVED });
git('mv', 'moved.ts', 'ws/moved.ts');
commit({});
git('branch', 'other');
commit({ 'other/s.txt': 'OUTSIDE\nOUTSIDE', 'ws/src/a.ts': 'in\nin' });
commit({ 'ws/b.ts': 'in\nin' });
repository.write({ 'ws/b.ts': 'in\nin\nin' });

interface Options {
  readonly rules?: readonly string[];
  readonly open?: string;
  readonly readsGit?: boolean;
}

function decide(line: string, { rules = [], open = workspace, readsGit = true }: Options = {}) {
  const folders = { workspace: [open], adHoc: [], cwd: open };
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  const more = { folders, lookMs: 60_000, ...(readsGit && { readGit: createReadGit([open]) }) };
  return evaluate(bashCall(line), policyOf(all, more));
}

/** What bash prints in the open folder. */
function run(line: string): string {
  return execFileSync('bash', ['-c', `${line}; true`], {
    cwd: workspace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

const INSIDE = [
  'git log',
  'git log --stat',
  'git status',
  'git ls-files',
  'git diff',
  'git diff --stat HEAD~3',
  'git diff --stat @~3',
  'git diff @~1.. -- b.ts',
  'git log @~3..@',
  'git show @~1:./src/a.ts',
  'git diff HEAD~1 HEAD -- b.ts',
  'git diff -- .',
  'git diff HEAD~3 -- .',
  'git diff HEAD src',
  'git diff --relative HEAD~3',
  'git log -p -- .',
  'git log -p src/a.ts',
  "git log -p -- '*.ts'",
  'git log -p --relative',
  'git log -p --relative -- b.ts',
  'git log -S OUTSIDE --relative',
  'git log -p main -- src',
  'git log -p -n 2 -- src',
  "git log -p HEAD -- . ':!src'",
  'git show HEAD',
  'git show --stat HEAD~3',
  'git show HEAD~1 -- .',
  'git show HEAD~1:./src/a.ts',
  'git grep OUTSIDE',
  'git grep -n in -- src',
  "git grep in -- '*.ts' ':!src'",
  'git blame src/a.ts',
  'git show HEAD:',
  'git cat-file -p HEAD',
  'git stash list',
  'git reflog',
  'git whatchanged -p -- src',
  'cd src && git log -p -- .',
];

test('what stays in a folder of a larger repository is free', async () => {
  for (const line of INSIDE) {
    const { decision, reason } = await decide(line);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
    assert.doesNotMatch(run(line), /^[^/]*OUTSIDE$/m, line);
  }
});

/** What prints or searches files outside the open folder, or may. */
const OUTSIDE = [
  'git log -p',
  'git log -p main',
  'git log -S OUTSIDE',
  'git log -G OUTSIDE --oneline',
  'git log -p -S src',
  'git log -p -S -- .',
  'git log -p -S --relative',
  'git log -p --follow -- moved.ts',
  'git log -p -L1,1:src/a.ts',
  "git log -p -- ':!src'",
  'git log -p -- :/',
  "git log -p -- ':(top)other'",
  'git log -p -- ../other',
  'git log -p -- src/../../other',
  "git log -p -- '../*.txt'",
  'git log -p ../other',
  'git log --word-diff',
  'git diff HEAD~3',
  'git diff @~3',
  'git show @~1',
  'git diff @~1 -- ../other',
  'git show @~1:../top.txt',
  'git diff @~/top.txt',
  'git diff main other',
  "git diff HEAD~3 -- ':!src'",
  'git diff HEAD~3 -- ../other',
  'git show HEAD~1',
  'git show HEAD~1 HEAD',
  'git show other:other/s.txt',
  'git cat-file -p HEAD:top.txt',
  "git for-each-ref --format='%(raw)'",
  'git whatchanged -p',
  'git reflog -p',
  'git stash list -p',
  'git stash show -p',
  'git status -v',
  'git range-diff HEAD~2..HEAD~1 HEAD~1..HEAD',
  'git grep OUTSIDE :/',
  'git grep OUTSIDE ../other',
  'git grep OUTSIDE main:',
  'git grep OUTSIDE other -- .',
  'cd src && git log -p',
  'git -C src log -p',
];

test('what may print the rest of the repository asks', async () => {
  for (const line of OUTSIDE) {
    assert.equal((await decide(line)).decision, 'ask', line);
    assert.equal((await decide(line, { readsGit: false })).decision, 'ask', line);
  }
});

test('an object that is named by its content asks', async () => {
  const blob = git('rev-parse', 'HEAD:top.txt').trim();
  git('tag', 'content', blob);
  for (const line of [
    `git show ${blob} -- .`,
    'git show --stat content',
    `git cat-file -p ${blob}`,
  ]) {
    assert.equal((await decide(line)).decision, 'ask', line);
  }
});

test('the reason names the repository, and a line that passes', async () => {
  const asked = await decide('git log -p');
  assert.equal(asked.reason, describe('git log -p', 'git log -p -- .'));
  assert.equal(asked.instead, 'git log -p -- .');
  assert.equal((await decide('git log -p -- .')).decision, 'allow');
  const { reason, instead } = await decide('git -C src log -p');
  assert.equal(reason, describe('git -C src log -p', 'git -C src log -p -- .'));
  assert.equal((await decide(instead ?? '')).decision, 'allow');
  assert.equal((await decide('git reflog -p')).instead, undefined);
});

function describe(line: string, instead: string): string {
  return `\`${line}\` may print files of the repository \`${root}\`, which reaches beyond the workspace. To print only what lies in this folder, run \`${instead}\`.`;
}

test('a rule about the files outside decides', async () => {
  const allowed = [`fs.read ${root} allow`];
  for (const line of ['git log -p', 'git diff HEAD~3', 'git log -p -- ../other'])
    assert.equal((await decide(line, { rules: allowed })).decision, 'allow', line);
  const denied = [`fs.read ${root} deny`, `fs.read ${workspace}/** allow`];
  assert.equal((await decide('git log -p', { rules: denied })).decision, 'deny');
  assert.equal((await decide('git log -p', { rules: ['bash git log * allow'] })).decision, 'allow');
});

test('where the whole repository is open, nothing asks', async () => {
  for (const line of ['git log -p', 'git diff HEAD~3', 'git show HEAD~1'])
    assert.equal((await decide(line, { open: root })).decision, 'allow', line);
});

test('a worktree and a submodule are repositories of their own', async () => {
  const inner = path.join(workspace, 'tree');
  git('worktree', 'add', '-q', '--detach', inner);
  assert.equal((await decide('git log -p', { open: inner })).decision, 'allow');
  assert.equal((await decide('git log -p', { open: path.join(inner, 'ws') })).decision, 'ask');
  mkdirSync(path.join(workspace, 'module'));
  git('-C', path.join(workspace, 'module'), 'init', '-q', '--separate-git-dir', `${root}/.git/m`);
  assert.equal(
    (await decide('git log -p', { open: path.join(workspace, 'module') })).decision,
    'ask',
  );
  // What can't be read may be a repository.
  appendFileSync(path.join(workspace, 'src/.git'), 'x'.repeat(2_000_000));
  const unread: Decision = await decide('cd src && git log -p -- .');
  assert.equal(unread.decision, 'ask', unread.reason);
});
