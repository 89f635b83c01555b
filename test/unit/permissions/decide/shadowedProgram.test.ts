import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const PROGRAMS = ['ls', 'gzip', 'echo', 'git', 'node', 'dpkg-query', 'jq', 'whatis'];
const root = plantWorkspace([
  ...PROGRAMS.map((name) => `node_modules/.bin/${name}`),
  'node_modules/.bin/cat',
  'a.txt',
]);
const own = path.join(root, 'node_modules/.bin');
for (const name of PROGRAMS) chmodSync(path.join(own, name), 0o755);
const link = path.join(root, '../bin');
symlinkSync(own, link);
const system = process.env['PATH'] ?? '';

async function decideWith(PATH: string, command: string, rules: readonly string[] = []) {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const before = process.env['PATH'];
  process.env['PATH'] = PATH;
  try {
    return await evaluate(
      bashCall(command),
      policyOf([...DEFAULT_RULES, ...rulesOf(...rules)], { folders }),
    );
  } finally {
    process.env['PATH'] = before;
  }
}

function check(where: string, PATH: string, command: string, expected: string, rule?: string) {
  test(`${command} is ${expected} with ${where}${rule === undefined ? '' : ` under ${rule}`}`, async () => {
    const { decision, reason } = await decideWith(PATH, command, rule === undefined ? [] : [rule]);
    assert.equal(decision, expected, reason);
  });
}

const FIRST = `${own}:${system}`;
for (const command of [
  'ls',
  'ls -la',
  'cat a.txt && ls',
  'timeout 5 ls',
  "bash -c 'ls'",
  'cat a.txt | xargs echo',
])
  check('programs of the workspace first', FIRST, command, 'ask');
// They start programs by their names.
for (const command of ['tar tzf a.tgz', 'zcat a.gz', 'git status'])
  check('programs of the workspace first', FIRST, command, 'ask');
for (const command of ['dpkg -l', 'yq . a.json', 'man -f ls', 'npm --version'])
  check('programs of the workspace first', FIRST, command, 'ask');

// What runs a script is looked up in PATH by `env`.
const scripts = path.join(root, '../scripts');
mkdirSync(scripts);
for (const [name, line] of [
  ['fd', '#!/usr/bin/env node'],
  ['rg', '#! /usr/bin/env -S A=b node --x'],
  ['tac', '#!/usr/bin/env fd'],
  ['nl', '#!/usr/bin/node'],
] as const)
  writeFileSync(path.join(scripts, name), `${line}\n`, { mode: 0o755 });
for (const [command, expected] of [
  ['fd a', 'ask'],
  ['rg a', 'ask'],
  ['tac a.txt', 'ask'],
  ['nl a.txt', 'allow'],
] as const)
  check(
    'a script for a program of the workspace',
    `${own}:${scripts}:${system}`,
    command,
    expected,
  );
check('scripts', `${scripts}:${system}`, 'tac a.txt', 'allow');

check('a link to programs of the workspace first', `${link}:${system}`, 'ls', 'ask');
check('programs of the workspace last', `${system}:${own}`, 'ls', 'allow');
check('programs of the workspace first', FIRST, 'cat a.txt', 'allow');
check('programs of the workspace first', FIRST, 'wc -l a.txt', 'allow');
check('programs of the workspace first', FIRST, 'ls', 'allow', 'bash ls allow');
// No command gets these folders.
check('relative folders first', `node_modules/.bin::./bin:${system}`, 'ls', 'allow');

test('the reason names the file that would run', async () => {
  const { reason } = await decideWith(FIRST, 'ls');
  const file = path.join(own, 'ls');
  assert.equal(
    reason,
    `\`ls\` may start \`${file}\`, which lies in the workspace, because PATH names its folder.`,
  );
});
