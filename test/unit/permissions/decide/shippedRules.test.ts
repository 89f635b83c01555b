import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Subject } from '../../../../src/permissions/rules/subject.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

function decideLine(line: string, ...rules: readonly string[]): Promise<string> {
  const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]);
  return evaluate(bashCall(line), policy).then(({ decision }) => decision);
}

async function decideRead(path: string, ...rules: readonly string[]): Promise<string> {
  const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]);
  const subject: Subject = {
    permission: 'read',
    capability: 'fs.read',
    target: path,
    match: 'path',
  };
  const call = { tool: 'read', input: { path }, subjects: [subject] as const };
  return (await evaluate(call, policy)).decision;
}

for (const rule of [
  '* **/.env deny',
  'fs.* **/.env deny',
  'fs.read ** deny',
  '* {workspace}/** deny',
])
  test(`no shipped rule weakens "${rule}"`, async () => {
    for (const line of ['cat .env', 'npm test; cat .env', 'grep -r x .', 'cat < .env'])
      assert.equal(await decideLine(line, 'bash npm test* allow', rule), 'deny', line);
    assert.equal(await decideRead('.env', rule), 'deny');
    assert.equal(await decideRead('src/.env', rule), 'deny');
  });

for (const rule of ['bash * deny', '* * deny'])
  test(`no shipped rule weakens "${rule}" of commands`, async () => {
    for (const line of ['ls', 'git status', 'cat a.txt'])
      assert.equal(await decideLine(line, rule), 'deny', line);
  });

for (const rule of ['bash * ask', '* * ask', 'bash git * ask', 'shell.run git* ask'])
  test(`no shipped rule weakens "${rule}"`, async () => {
    for (const line of ['git status', 'git log -3', 'cd src && git diff'])
      assert.equal(await decideLine(line, rule), 'ask', line);
    assert.equal(await decideLine('git status', rule, 'bash git status allow'), 'allow');
  });

test('a wide ask of the user holds for files, too', async () => {
  for (const rule of ['read ** ask', 'fs.read ** ask', '* * ask'])
    assert.equal(await decideRead('src/a.py', rule), 'ask', rule);
  assert.equal(await decideRead('src/a.py', 'fs.read ** ask', 'read src/** allow'), 'allow');
  assert.equal(await decideLine('ls', 'bash git * ask', 'fs.read secrets/** ask'), 'allow');
});

test('an allow of the user overrides a wider deny, and a shipped ask', async () => {
  assert.equal(await decideLine('ls', 'bash * deny', 'bash ls allow'), 'allow');
  assert.equal(await decideRead('.env', 'fs.read **/.env allow'), 'allow');
});

for (const line of [
  ...['cd /tmp && npm test', '(cd ..; npm test)', 'cd && npm test'],
  ...['cd /tmp && git log -p', 'cd .. && git log', 'cd ~/other; git show HEAD:a', 'cd /; pwd'],
  ...['git -C /tmp log -p', 'git -C / status'],
])
  test(`a folder outside the workspace asks: ${line}`, async () => {
    assert.equal(await decideLine(line, 'bash npm test* allow'), 'ask');
  });

for (const line of [
  'cd src && npm test',
  'cd src && git log',
  'cd src && cd .. && ls',
  'cd . && pwd',
])
  test(`a folder of the workspace does not: ${line}`, async () => {
    assert.equal(await decideLine(line, 'bash npm test* allow'), 'allow');
  });

test('a deny of a folder covers what runs in it', async () => {
  assert.equal(
    await decideLine('cd src && npm test', 'bash npm test* allow', 'fs.read src deny'),
    'deny',
  );
});

test('a file that an operand or a date names counts as that file', async () => {
  for (const line of [
    // A path instead of the name of a package.
    'apt show /srv/x.deb',
    'apt show ../x.deb',
    'apt-cache show /srv/x.deb',
    `date -d 'TZ=":/etc/passwd" 1'`,
    `date --date='TZ="../../x" 1'`,
    'lsof -n +m.env',
    'lsof -n +M',
  ])
    assert.equal(await decideLine(line), 'ask', line);
  assert.equal(await decideLine('apt show ./secrets/x.deb', 'fs.read secrets/** deny'), 'deny');
  for (const line of [
    'apt show vim/stable',
    'apt show ./x.deb',
    `date -d 'TZ="Europe/Paris" 1'`,
    'lsof -n +D src',
  ])
    assert.equal(await decideLine(line), 'allow', line);
});

for (const line of [
  '[[ -f x ]]',
  '[[ -d x && -n $PWD ]]',
  '[[ ! -e x || -L y ]]',
  '[[ 3 -gt 2 ]]',
  '[[ main.ts == *.ts ]]',
  '[[ abc =~ ^a ]]',
  'if [[ -f x ]]; then echo y; fi',
  '[ -f x ]',
])
  test(`the shipped rules allow a test that runs nothing: ${line}`, async () => {
    assert.equal(await decideLine(line), 'allow');
    assert.equal(await decideLine(line, 'bash * ask'), 'ask');
  });

for (const line of [
  '[[ -v a[$(id)] ]]',
  '[[ -v x ]]',
  '[[ -R x ]]',
  '[[ a -eq 1 ]]',
  '[[ $x -eq 1 ]]',
  "[[ 'a[$(id)]' -gt 1 ]]",
  '[[ a =~ $x ]]',
  '[[ a =~ $SECRET ]]',
  '[[ -n $(touch x) ]]',
  '[[ -n ${a[$(id)]} ]]',
  '[[ $API_TOKEN == a* ]]',
  '[[ -f x ]] > y',
  '[[ -f x ]] && PATH=.',
  '[[ -f x ]] && f() { rm y; }',
  "sh -c '[[ -f x ]]'",
])
  test(`the shipped rules ask about a test that may run code: ${line}`, async () => {
    assert.equal(await decideLine(line), 'ask');
  });
