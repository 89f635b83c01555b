import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['a.md', '.env']);

function git(...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', ['-C', root, ...user, ...args], { encoding: 'utf8' }).trim();
}

git('init', '-q');
git('add', '-A', '-f');
git('commit', '-qm', 'x');

async function decide(line: string, ...rules: readonly string[]): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  return (await evaluate(bashCall(line), policyOf(all, { folders }))).decision;
}

const USER = ['bash git * allow', 'fs.read **/.env deny'] as const;
const READERS = [
  'git show HEAD:a.md',
  'git cat-file -p HEAD:a.md',
  'git blame HEAD -- a.md',
  'git diff',
];

async function check(expected: string): Promise<void> {
  for (const line of READERS) {
    assert.equal(await decide(line), expected, line);
    assert.equal(await decide(line, ...USER), expected, line);
  }
}

test('where the repository replaces objects, a name in a commit may be that of any content', async () => {
  await check('allow');
  const [own, secret] = ['HEAD:a.md', 'HEAD:.env'].map((name) => git('rev-parse', name));
  git('tag', 't', secret ?? '');
  git('fetch', '-q', '.', `refs/tags/t:refs/replace/${own}`);
  assert.equal(git('show', 'HEAD:a.md'), '.env');
  await check('ask');
  git('pack-refs', '--all', '--prune');
  assert.equal(git('show', 'HEAD:a.md'), '.env');
  await check('ask');
  for (const line of ['git status', 'git branch', 'git rev-parse HEAD', 'git ls-files'])
    assert.equal(await decide(line), 'allow', line);
  // The user's own words for just this line.
  assert.equal(await decide('git show HEAD:a.md', 'bash git show HEAD:a.md allow'), 'allow');
  git('replace', '-d', own ?? '');
  await check('allow');
});
