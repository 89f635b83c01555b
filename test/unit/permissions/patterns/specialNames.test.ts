import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash, evaluateFileTool, plantWorkspace } from '../ask.ts';

test('a deny with brackets holds for names that start or read specially', async () => {
  for (const [pattern, file] of [
    ['#[ab].txt', '#a.txt'],
    ['![ab].txt', '!a.txt'],
    ['+(a)[b]', '+(a)b'],
    ['@(a|b)[c]', '@(a|b)c'],
    ['[.]env', '.env'],
    ['?env', '.env'],
    ['*[v]', '.env'],
    ['**/*[v]', 'sub/.env'],
  ] as const) {
    const rules = ['fs.read ** allow', 'read ** allow', `fs.read ${pattern} deny`];
    const { decision } = await evaluateFileTool('read', file, rules);
    assert.equal(decision, 'deny', `${pattern} ${file}`);
  }
  for (const [pattern, file] of [
    ['#[ab].txt', 'a.txt'],
    ['![ab].txt', 'c.txt'],
    ['+(a)[b]', 'ab'],
  ] as const) {
    const rules = ['fs.read ** allow', 'read ** allow', `fs.read ${pattern} deny`];
    assert.equal((await evaluateFileTool('read', file, rules)).decision, 'allow', pattern);
  }
});

test('an exclusion passes only if it leaves out every alternative of a deny', async () => {
  const root = plantWorkspace(['.env', 'k.pem', 'src/a.ts']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => {
    const rules = ['bash * allow', 'fs.read ** allow', '* **/{.env,*.pem} deny'];
    return (await evaluateBash(line, rules, { folders })).decision;
  };
  for (const line of [
    'grep -r x .',
    'grep -r --exclude=.env x .',
    "grep -r --exclude='*.pem' x .",
    "rg --hidden -g '!.env' x",
  ])
    assert.equal(await decide(line), 'deny', line);
  for (const line of [
    "grep -r --exclude=.env --exclude='*.pem' x .",
    "rg --hidden -g '!.env' -g '!*.pem' x",
    'grep -r x src',
  ])
    assert.equal(await decide(line), 'allow', line);
});
