import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';
import { makeRepository } from '../../moves/repository.ts';

/** A bash line that starts a shell of Windows, under a blanket allow and these rules. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  test(`bash: ${command} is ${expected} under ${rules.join(', ') || 'no more'}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', ...rules]);
    assert.equal(decision, expected, reason);
  });
}

// `rm x` and `gc .env`, each as UTF-16 in base64.
const RM = 'cgBtACAAeAA=';
const GC = 'ZwBjACAALgBlAG4AdgA=';

for (const command of [
  'powershell rm x',
  'pwsh -c "ls; del x"',
  'powershell.exe -NoProfile -c "rm x"',
  "pwsh -NoP -Command '& {rm x}'",
  'pwsh -ExecutionPolicy Bypass -c ri x',
  `pwsh -enc ${RM}`,
  `pwsh -e ${RM}`,
  `powershell /encodedc ${RM}`,
  'pwsh -CommandWithArgs "rm x"',
  // Everything behind the option is the text, also what looks like another one.
  "pwsh -c -f ';' rm x",
  "pwsh -cwa -f ';' rm x",
  'env pwsh -c "rm x"',
  'sh -c "pwsh -c \'rm x\'"',
  'cmd.exe /c "powershell -c rm x"',
  'wine cmd /c powershell rm x',
  'find . -exec pwsh -c "rm x" \\;',
  'p"wsh" -c "rm x"',
]) {
  check(command, 'deny', 'bash Remove-Item * deny manifest');
}
for (const command of [
  'cmd /c del x',
  'cmd.exe /c "dir & d^el x"',
  'cmd //c del x',
  'CMD.EXE /c del x',
]) {
  check(command, 'deny', 'bash del * deny manifest');
}
for (const command of [
  'pwsh -c "gc .env"',
  `pwsh -enc ${GC}`,
  'pwsh -c "iwr a.example -OutFile .env"',
  'cmd /c type .env',
  'cmd.exe /c "echo x > .env"',
]) {
  check(command, 'deny', 'fs.read .env deny', 'fs.write .env deny');
}
check('pwsh -c "iwr evil.example"', 'deny', 'net.fetch evil.example deny');

// What runs there is never allowed, and what is no command there is not denied.
for (const command of [
  'pwsh -c ls',
  'cmd /c dir',
  'cmd.exe /c dir',
  'pwsh x.ps1',
  'pwsh -File rm',
  'pwsh',
]) {
  check(command, 'ask');
}
check('pwsh -File rm -c "rm x"', 'ask', 'bash Remove-Item * deny');
check('pwsh -c "Write-Output rm"', 'ask', 'bash rm * deny');
check('cmd /c "echo del x"', 'ask', 'bash del * deny');
check('powershell.exe -c ls', 'deny', 'bash powershell * deny');
// The same letters in another word are no shell.
check('echo cmd', 'allow');
check('npm run pwsh-docs', 'allow');

test('a line is denied if shells in it are nested more deeply than is looked at', async () => {
  const decide = async (line: string) =>
    (await evaluateBash(line, ['bash * allow', 'bash Remove-Item * deny manifest'])).decision;
  const nest = (count: number, line: string) => `${'pwsh -c '.repeat(count)}${line}`;
  assert.equal(await decide(nest(4, 'ls')), 'ask');
  assert.equal(await decide(nest(4, 'rm x')), 'deny');
  assert.equal(await decide(nest(5, 'ls')), 'deny');
  assert.equal(await decide(`${'cmd /c '.repeat(30)}dir`), 'deny');
});

test('a line is denied if the text for another shell is too deep to be looked at', async () => {
  const text = `${'('.repeat(4000)}ls${')'.repeat(4000)}`;
  const { decision, reason } = await evaluateBash(`pwsh -c '${text}'`, ['bash * allow']);
  assert.equal(decision, 'deny');
  assert.match(reason, /too deeply nested/);
});

test('no rule has to allow what another shell runs, since the line asks anyway', async () => {
  // It runs `ls`.
  const line = 'pwsh -enc bABzAA==';
  const { decision, subjects } = await evaluateBash(line, ['bash pwsh * allow']);
  assert.equal(decision, 'ask');
  assert.deepEqual([...new Set(subjects.map(({ target }) => target))], [line]);
});

test('a deny of a file that git brings holds beside another shell', async () => {
  const repository = makeRepository(['fs.write AGENTS.md deny', 'bash pwsh * allow']);
  for (const line of ['git checkout brings', 'git checkout brings; pwsh -c ls'])
    assert.equal((await repository.decide(line)).decision, 'deny', line);
  assert.equal((await repository.decide('git checkout plain; pwsh -c ls')).decision, 'ask');
});

test('a file that git brings counts in PowerShell, too', async () => {
  const repository = makeRepository();
  const decide = async (line: string) =>
    (await repository.decide(line, { shell: 'pwsh' })).decision;
  assert.equal(await decide('git checkout brings'), 'ask');
  assert.equal(await decide('git checkout plain'), 'allow');
});
