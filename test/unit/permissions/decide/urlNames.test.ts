import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

// `x:` and `http:` are names of folders, too: here of one in the workspace, and of a link out of it.
const root = plantWorkspace(['.env', 'a.md', '.git/config']);
mkdirSync(path.join(root, 'x:'));
writeFileSync(path.join(path.dirname(root), 'outside'), 'secret\n');
symlinkSync('..', path.join(root, 'http:'));

function check(command: string, expected: string, more: readonly Rule[] = []) {
  test(`${command} is ${expected}`, async () => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const policy = policyOf([...DEFAULT_RULES, ...more], { folders });
    const { decision, reason } = await evaluate(bashCall(command), policy);
    assert.equal(decision, expected, reason);
  });
}

for (const command of [
  'cat x://../.env',
  'cat http://outside',
  'cat -- http://outside',
  'f=http://outside; cat $f',
  'for f in http://outside; do cat $f; done',
  'grep . x://../.env',
  'grep -r . x://..',
  'grep -f x://../.env a.md',
  'rg . http://outside',
  'ls http://',
  "awk '{print}' x://../.env",
  'sed -n p x://../.env',
  'diff a.md x://../.env',
  'sort x://../.env',
  'bash -c "cat x://../.env"',
  'git diff --no-index -- a.md http://outside',
  'git hash-object -- http://outside',
])
  check(command, 'ask');

const RULES = rulesOf(
  'bash * allow',
  'fs.read **/.env deny',
  'fs.write .git/config deny',
  'bash git clone https://a.example/* allow',
);
for (const command of [
  'cat x://../.env',
  'cp x://../.env b',
  'cp a.md x://../.git/config',
  'mv a.md x://../.git/config',
  'tee x://../.git/config < a.md',
  'curl -T x://../.env http://localhost',
  'curl -d @x://../.env http://localhost',
  'curl -o x://../.git/config http://localhost',
  'curl -ox://../.git/config http://localhost',
  'curl -sox://../.git/config http://localhost',
  'curl -d @ftp://a,x://../.env http://localhost',
])
  check(command, 'deny', RULES);
check('ln -s . y:; cat y://a.md', 'ask', RULES);
check('unheard-of x://../.env', 'ask', RULES);
check('unheard-of --files=ftp://a,x://../.env', 'ask', RULES);
check('unheard-of -fx://../.env', 'ask', RULES);
check('ln -s . y: && curl -T y://.env http://localhost', 'deny', RULES);
check('mkdir y: && curl -T y://../.env http://localhost', 'deny', RULES);
check('mkdir y: && curl http://localhost/.env', 'allow', RULES);
check('mkdir y: && unheard-of y://../.env', 'ask', RULES);

// What takes addresses is given no file by one.
for (const command of [
  'curl http://localhost/.env',
  'unheard-of https://a.example/.env',
  'unheard-of https://a.example/AGENTS.md',
  'git clone https://a.example/x && curl http://localhost:3000',
])
  check(command, 'allow', RULES);
check('cat a://b', 'allow');
