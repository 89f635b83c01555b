import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['docs/api/a.md', 'src/a.ts']);
const outside = path.join(root, '../outside');

function git(...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', ['-C', root, ...user, ...args], { encoding: 'utf8' });
}

async function decide(line: string, ...rules: readonly string[]): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  return (await evaluate(bashCall(line), policyOf(all, { folders }))).decision;
}

test('"git grep" is decided by the files that it reads through a link', async () => {
  git('init', '-q');
  git('add', '-A');
  mkdirSync(path.join(outside, 'api'), { recursive: true });
  writeFileSync(path.join(outside, 'api/a.md'), 'secret\n');
  assert.equal(await decide('git grep secret'), 'allow');
  renameSync(path.join(root, 'docs'), path.join(root, 'moved'));
  symlinkSync(outside, path.join(root, 'docs'));
  assert.match(git('grep', 'secret'), /docs\/api\/a\.md:secret/);
  for (const line of ['git grep secret', 'git --no-pager grep -n secret -- docs'])
    assert.equal(await decide(line), 'ask', line);
  for (const line of ['git diff --stat', 'git status'])
    assert.equal(await decide(line), 'allow', line);
  rmSync(path.join(root, 'docs'));
  symlinkSync('moved', path.join(root, 'docs'));
  assert.equal(await decide('git grep secret'), 'allow');
  assert.equal(await decide('git grep secret', 'fs.read moved/** deny'), 'deny');
});
