import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

test('the shipped rules cover no option that verifies signatures or opens a time zone', async () => {
  const decide = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(DEFAULT_RULES))).decision;
  for (const line of [
    'git for-each-ref --sort=signature',
    'git branch --sort=-signature:grade',
    'git tag -l --sort=v:signature:key',
    `find . -newermt 'TZ="/etc/x" 2020-01-01'`,
    `find . -newermt 'TZ="../x" 2020-01-01'`,
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of ['git tag --sort=-creatordate', `find src -newermt 'TZ="UTC" 2020-01-01'`])
    assert.equal(await decide(line), 'allow', line);
});

test('a wildcard does not cover git options that verify signatures', async () => {
  for (const line of ['git log --show-signature', 'git merge --verify-signatures x'])
    assert.equal((await evaluateBash(line, ['bash git * allow'])).decision, 'ask', line);
});

test('gofmt and mv count what lies below a folder', async () => {
  const root = plantWorkspace(['src/a.go', 'src/locked.go', 'lib/b.go']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = [...DEFAULT_RULES, ...rulesOf('bash mv * allow', 'fs.write ** allow')];
  const denied = [...rules, ...rulesOf('fs.read **/locked.go deny')];
  const decide = async (line: string, given = denied) =>
    (await evaluate(bashCall(line), policyOf(given, { folders, lookMs: 60_000 }))).decision;
  assert.equal(await decide('gofmt -d src'), 'deny');
  assert.equal(await decide('gofmt -d lib'), 'allow');
  assert.equal(await decide('gofmt -d .', rules), 'allow');
  assert.equal(await decide('mv src x'), 'ask');
  assert.equal(await decide('mv lib x'), 'allow');
});
