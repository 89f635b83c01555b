import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../ask.ts';

test('git diff compares files outside every repository, and only paths within one', async () => {
  const root = plantWorkspace(['real/.env', 'x', 'repo/x', 'repo/real/a']);
  execFileSync('git', ['init', '-q', path.join(root, 'repo')]);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.read ** allow', 'fs.read {workspace}/real/.env deny'];
  const decide = async (line: string) => (await evaluateBash(line, rules, { folders })).decision;
  assert.equal(await decide('git diff real x'), 'deny');
  assert.equal(await decide('cd repo && git diff real x'), 'allow');
  // The line may go on in the folder above, where there is no repository.
  assert.equal(await decide('cd repo; git diff real x'), 'deny');
  assert.equal(await decide('cd repo && git diff real ../x'), 'allow');
  assert.equal(await decide('cd repo && git diff ../real x'), 'deny');
});
