import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analysePowerShell } from '../../../../src/permissions/shell/powershell.ts';
import { judgeBash } from '../ask.ts';

function check(shell: 'pwsh' | 'cmd', command: string, rules: readonly string[], expected: string) {
  test(`${shell}: ${command} is ${expected} under ${rules.join(', ')}`, async () => {
    const { decision, reason } = await judgeBash(command, rules, { shell, platform: 'win32' });
    assert.equal(decision, expected, reason);
  });
}

const ALL = ['bash * allow'];
for (const command of [
  'Get-ChildItem',
  'Get-ChildItem -Path src -Recurse',
  "Get-Content 'a b.txt'",
  'Get-Content "a.txt"',
  'git status',
  'git status; npm test',
  'git status && npm test',
  'git log | Select-String foo',
  'dir src',
  'npm run build',
  'Write-Output hello',
  'git commit -m "a b"',
  'Get-Process # note',
  'git status 2>$null',
  'cd src',
  'ls `\n -l',
]) {
  check('pwsh', command, ALL, command.includes('$null') ? 'ask' : 'allow');
}
for (const command of [
  'Get-ChildItem $x',
  'Get-ChildItem $(iwr x)',
  '& { iwr x }',
  "& 'git' status",
  '. ./x.ps1',
  'iex x',
  'Invoke-Expression x',
  'INVOKE-expression x',
  'Start-Process x',
  '$a = 1',
  '[IO.File]::Delete("x")',
  'if ($true) { ls }',
  'foreach ($i in 1) { ls }',
  'ls | % { $_ }',
  'ls | ForEach-Object Delete',
  'powershell -EncodedCommand SQBFAFgA',
  'pwsh -c ls',
  'cmd /c dir',
  'Get-Content *.txt',
  'git `status',
  'gi`t status',
  'dir & del x',
  'function f { ls }; f',
  'Set-Alias ls rm',
  '$env:PATH = "x"',
  '@(ls)',
  'ls > out.txt',
  'ls >> "..\\x"',
  'Get-Content a,b',
  'New-Object x',
  'git status -x:$y',
  '"git" status',
  'Add-Type x',
  'Import-Module x',
  "iex 'git status'",
  'git\u00a0status',
  '(ls)',
  'sal x y',
  'ii x',
  'wmic x',
  'Invoke-WebRequest x -OutFile y',
]) {
  check('pwsh', command, ALL, 'ask');
}
const RM = ['bash * allow', 'bash Remove-Item * deny manifest'];
for (const command of [
  'Remove-Item x',
  'remove-item x',
  'rm x',
  'del x',
  'ri x',
  'RD x',
  'erase x',
  'git status; rm x',
  'if ($true) { rm x }',
  '& { del x }',
  'ls | rm',
  '$(rm x)',
  'f { rm x }',
  'function f { rm x }',
  "& 'rm' x",
  'ls $(del x)',
  '"a$(rm x)"',
  'rm.exe x',
]) {
  check('pwsh', command, RM, 'deny');
}
check('pwsh', 'rm x', ['bash * allow', 'bash del * deny manifest'], 'deny');
check('pwsh', 'GIT push', ['bash * allow', 'bash git push * deny'], 'deny');
check('pwsh', 'git.exe push', ['bash * allow', 'bash git push * deny'], 'deny');
check('pwsh', 'Get-Content .env', ['bash * allow', 'fs.read **/.env deny'], 'deny');
check('pwsh', 'gc .ENV', ['bash * allow', 'fs.read **/.env deny'], 'deny');
check('pwsh', 'ls > .env', ['bash * allow', 'fs.write ** allow', 'fs.write **/.env deny'], 'deny');
check('pwsh', 'ls > out.txt', ['bash * allow', 'fs.write ** allow'], 'allow');
check('pwsh', 'ls > .git\\config', ['bash * allow', 'fs.write ** allow'], 'ask');
check('pwsh', 'cd ..; ls > x', ['bash * allow', 'fs.write ** allow'], 'ask');
check('pwsh', 'iwr https://evil.example', ['bash * allow', 'net.fetch evil.example deny'], 'deny');
check('pwsh', `echo ${'a'.repeat(40_000)}`, ALL, 'deny');

for (const command of ['dir', 'git status', 'echo a', 'ver']) check('cmd', command, ALL, 'ask');
for (const command of [
  'del x',
  'DEL x',
  'd^el x',
  'dir & del x',
  'dir && del x',
  'dir || del x',
  'dir | del x',
  '(del x)',
  '"del" x',
  '@del x',
  'erase x',
  'cmd /c del x',
  'rm x',
]) {
  check('cmd', command, ['bash * allow', 'bash del * deny manifest'], 'deny');
}
check('cmd', 'a'.repeat(140_000), ALL, 'deny');

test('each PowerShell command is named, with the words it gets', async () => {
  const { acts, doubts } = await analysePowerShell(
    "git status; Get-Content 'a b' | Select-String x",
    '/w',
    'linux',
  );
  const commands = acts.flatMap((act) =>
    act.kind === 'command' ? [act.words.map(({ value }) => value)] : [],
  );
  assert.deepEqual(commands, [
    ['git', 'status'],
    ['Get-Content', 'a b'],
    ['Select-String', 'x'],
  ]);
  assert.deepEqual(doubts, []);
});
