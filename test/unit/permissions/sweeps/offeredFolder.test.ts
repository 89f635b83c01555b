import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const FILES = ['.env', 'sub/.env', 'sub/b.ts', 'sub/deep/.env', 'lib/a.ts', '-x/.env', 'a b/.env'];
const root = plantWorkspace(FILES);
const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args]);
git('init', '-q');
git('add', '-A', '-f');

const RULES = ['bash * allow', 'fs.read ** allow', '* **/.env deny'];
// A wildcard doesn't cover the folder.
const OPTIONS = ['bash git -C sub * allow', 'bash git -C sub/deep * allow'];

function decide(line: string, rules = RULES, folder = root) {
  const folders = { workspace: [folder], adHoc: [], cwd: folder };
  return evaluate(bashCall(line), policyOf(rulesOf(...rules), { folders, lookMs: 60_000 }));
}

for (const [line, expected] of [
  ['git grep x', "git grep x -- ':!*.env'"],
  ['git -C sub grep x', "git -C sub grep x -- ':!*.env'"],
  ['cd sub && git grep x', "cd sub && git grep x -- ':!*.env'"],
  ['cd sub && git -C deep grep x', "git -C sub/deep grep x -- ':!.env'"],
  [`git -C ${root}/sub grep x`, "git -C sub grep x -- ':!*.env'"],
  ['cd sub && grep -rn x .', 'cd sub && grep --exclude=.env -rn x .'],
  ['(cd sub && grep -rn x .)', 'cd sub && grep --exclude=.env -rn x .'],
  ['cd sub && cd .. && grep -rn x sub', 'grep --exclude=.env -rn x sub'],
  ["cd 'a b' && grep -rn x .", "cd 'a b' && grep --exclude=.env -rn x ."],
  ['cd ./-x && grep -rn x .', 'cd ./-x && grep --exclude=.env -rn x .'],
  ['grep -rn x . | head', 'grep --exclude=.env -rn x .'],
] as const)
  test(`the command that is offered runs in the same folder: ${line}`, async () => {
    const { decision, instead, reason } = await decide(line, [...RULES, ...OPTIONS]);
    assert.equal(decision, 'deny');
    assert.equal(instead, expected, reason);
    assert.ok(reason.includes(expected), reason);
  });

for (const line of [
  // The folder isn't certain.
  'cd sub; grep -rn x .',
  'cd sub || cd lib; grep -rn x .',
  'cd "$X"; grep -rn x /',
  // Another command would be offered.
  'env -C sub grep -rn x .',
  'sudo grep -rn x sub',
  'timeout 5 grep -rn x sub',
  'FOO=1 grep -rn x sub',
])
  test(`nothing is offered for ${line}`, async () => {
    const { decision, instead, reason } = await decide(line);
    assert.notEqual(decision, 'allow');
    assert.equal(instead, undefined);
    assert.doesNotMatch(reason, /, run `/);
  });

for (const [line, ...rules] of [
  // They may write, whatever they leave out.
  ['tar -cf - .', ...RULES],
  ['rsync -r . x', ...RULES],
  ['git -C sub grep x', ...RULES],
  ['grep -rn x .', ...RULES, 'bash grep --exclude* ask'],
  ['grep -rn x sub', ...RULES, 'fs.read sub/b.ts ask', 'bash grep * ask'],
] as const)
  test(`nothing is offered that does not pass: ${line} under ${rules.at(-1)}`, async () => {
    const { decision, instead, reason, details } = await decide(line, rules);
    assert.equal(decision, 'deny');
    assert.equal(instead, undefined, reason);
    for (const each of [reason, ...details().map((detail) => detail.reason)])
      assert.doesNotMatch(each, /, run `/);
  });

test('nothing is offered that leaves another name of a denied file in', async () => {
  const own = plantWorkspace(['src/.env', 'src/a.ts', 'lib/a.ts']);
  linkSync(path.join(own, 'src/.env'), path.join(own, 'src/notes.txt'));
  mkdirSync(path.join(own, 'lib/deep'));
  linkSync(path.join(own, 'src/.env'), path.join(own, 'lib/deep/notes.txt'));
  for (const line of ['grep -rn x src', 'grep -rn x .', 'rg --hidden x src', 'diff -r src lib']) {
    const { decision, instead } = await decide(line, RULES, own);
    assert.equal(decision, 'deny', line);
    if (instead !== undefined) assert.equal((await decide(instead, RULES, own)).decision, 'allow');
  }
});

test('without a user, nothing is offered that asks', async () => {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = rulesOf('fs.read ** allow', '* **/.env deny');
  for (const headless of [false, true]) {
    const policy = policyOf(rules, { folders, lookMs: 60_000, headless });
    const { instead } = await evaluate(bashCall('git add sub'), policy);
    assert.equal(instead, headless ? undefined : "git add sub ':!*.env'");
  }
});
