import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

// The workspace lies in the home, and holds a folder `~` and one that begins with `b=`. In both, a link with the path
// of a file of the workspace leads out of it.
const root = plantWorkspace(['a.md', 'src/a.md', '.git/config']);
const home = path.dirname(root);
writeFileSync(path.join(home, 'outside'), 'secret\n');
for (const below of ['~', `b=${home}`, `b=x:${home}`]) {
  mkdirSync(path.join(root, below, 'workspace/src'), { recursive: true });
  symlinkSync(path.join(home, 'outside'), path.join(root, below, 'workspace/a.md'));
  symlinkSync(path.join(root, '.git/config'), path.join(root, below, 'workspace/src/a.md'));
}

function check(command: string, expected: string, more: readonly Rule[] = []) {
  test(`${command} is ${expected}`, async () => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const policy = policyOf([...DEFAULT_RULES, ...more], { folders });
    const { decision, reason } = await inHome(() => evaluate(bashCall(command), policy));
    assert.equal(decision, expected, reason);
  });
}

/** Other tests run in this process, too. */
async function inHome<Result>(run: () => Promise<Result>): Promise<Result> {
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  }
}

// Nothing replaces a `~` in quotes, or in the value of a variable: it is the name of a folder.
for (const command of [
  "cat '~/workspace/a.md'",
  'cat "~/workspace/a.md"',
  'cat \\~/workspace/a.md',
  "cat ''~/workspace/a.md",
  "cat < '~/workspace/a.md'",
  'cat \\~/workspace/*.md',
  "cat {'~/workspace/a.md',a.md}",
  "f='~/workspace/a.md'; cat $f",
  "for f in '~/workspace/a.md'; do cat $f; done",
  'sh -c \'cat "~/workspace/a.md"\'',
  "git diff --no-index a.md '~/workspace/a.md'",
  "cd -; cat '~/workspace/a.md'",
])
  check(command, 'ask');

// In what looks like an assignment, it is replaced behind `=` and `:`.
for (const command of [
  'cat b=~/workspace/a.md',
  'cat b=x:~/workspace/a.md',
  'cat < b=~/workspace/a.md',
  'cat b=~/workspace/*.md',
  "bash -c 'cat b=~/workspace/a.md'",
  'cd b=~/workspace; cat a.md',
  'd=workspace; cd b=~/$d; cat a.md',
  'git -C b=~/workspace diff',
  'f=b=~/workspace/a.md; cat $f',
  'export f=~/workspace; echo "$(< .$f/a.md)"',
])
  check(command, 'ask');

const WRITES = rulesOf('bash * allow', 'fs.write {workspace}/src/** allow');
for (const command of [
  "echo x > '~/workspace/src/a.md'",
  "cp a.md '~/workspace/src/a.md'",
  'cp a.md b=~/workspace/src/a.md',
  'ln -s .git c=; cat c=~/workspace/config',
])
  check(command, 'ask', WRITES);

const DENIES = rulesOf('bash * allow', 'fs.write .git/config deny', 'fs.read ~/outside deny');
for (const command of [
  "cp a.md '~/workspace/src/a.md'",
  'cp a.md b=~/workspace/src/a.md',
  "cat '~/workspace/a.md'",
  'cat b=~/workspace/a.md',
  'cat b=~/outside',
])
  check(command, 'deny', DENIES);

// A file of the workspace, by its path in the home.
for (const command of [
  'cat ~/workspace/src/a.md',
  'cd ~/workspace && cat a.md',
  'cat a=b~/c a.md',
  "echo '~' b=~/x",
])
  check(command, 'allow');
