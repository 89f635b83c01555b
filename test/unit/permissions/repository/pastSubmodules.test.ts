import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

// A submodule of the past: the index has it no longer, so nothing tells where its repository lies.
const root = plantWorkspace(['a.md']);
const outside = path.join(path.dirname(root), 'outside');

function git(folder: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', ['-C', folder, ...user, ...args], { encoding: 'utf8' }).trim();
}

function commit(folder: string, subject: string): string {
  git(folder, 'commit', '-q', '--allow-empty', '-m', subject);
  return git(folder, 'rev-parse', 'HEAD');
}

mkdirSync(outside);
git(outside, 'init', '-q');
git(root, 'init', '-q');
for (const subject of ['first', 'of outside']) {
  const id = commit(outside, subject);
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${id},m`);
  commit(root, 'x');
}
git(root, 'rm', '-q', '--cached', 'm');
commit(root, 'x');
mkdirSync(path.join(root, 'm'));
writeFileSync(path.join(root, 'm/.git'), `gitdir: ${outside}/.git\n`);

function check(command: string, expected: string) {
  test(`${command} is ${expected}`, async () => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const { decision } = await evaluate(bashCall(command), policyOf(DEFAULT_RULES, { folders }));
    assert.equal(decision, expected);
  });
}

test('git prints commits of a submodule that the index does not have', () => {
  assert.match(git(root, 'diff', '--submodule=log', 'HEAD~2', 'HEAD~1'), /of outside/);
  assert.match(git(root, 'log', '-p', '--submodule=log'), /of outside/);
  // Of what is compared with the index, only what is in both.
  assert.doesNotMatch(git(root, 'diff', '--submodule=log', 'HEAD~2'), /of outside/);
});

for (const command of [
  'git log -p --submodule=log',
  'git --no-pager log --submodule=log -p',
  'git show --submodule=log HEAD~1',
  'git whatchanged -p --submodule=log',
  'git reflog -p --submodule=log',
  'git stash show --submodule=log',
  'git diff --submodule=log HEAD~2 HEAD~1',
  'git diff --submodule=log HEAD~2..HEAD~1',
  'git diff HEAD~2...HEAD~1 --submodule=log',
  'git diff --submodule=log HEAD~1^!',
  'git diff --submodule HEAD~2 HEAD~1',
])
  check(command, 'ask');

for (const command of [
  'git diff --submodule=log',
  'git diff --submodule=log HEAD',
  'git diff --cached --submodule=log -- a.md m',
  'git log -p --submodule=short',
  'git log -p',
])
  check(command, 'allow');
