import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../../ask.ts';

/** What cmd.exe would be given, under a blanket allow and these rules. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  const name = command.length > 80 ? `${command.slice(0, 80)}… (${command.length})` : command;
  test(`cmd: ${name} is ${expected} under ${rules.join(', ') || 'no more'}`, async () => {
    const all = ['bash * allow', ...rules];
    const { decision, reason } = await evaluateBash(command, all, {
      shell: 'cmd',
      platform: 'win32',
    });
    assert.equal(decision, expected, reason);
  });
}

for (const command of ['dir', 'git status', 'echo a', 'ver']) check(command, 'ask');
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
  check(command, 'deny', 'bash del * deny manifest');
}

for (const command of [
  'de^l x',
  'd"e"l x',
  'de^\nl x',
  'del,x',
  'del;x',
  'del=x',
  'del/q x',
  ';del x',
  '=,@del x',
  'call del x',
  'call call del x',
  'start del x',
  'start "title" /wait /d c:\\x del x',
  'if 1==1 del x',
  'if /i not "a" == "b" del x',
  'if exist x (dir) else del x',
  'if errorlevel 1 del x',
  'if a equ b del x',
  'for %i in (*) do del %i',
  'for /r %i in (*) do @del %i',
  'for do del x',
  "for /f %i in ('del x') do echo",
  'cmd /cdel x',
  'cmd /s /c "dir & del x"',
  '%comspec% /c del x',
  'forfiles /c "cmd /c del x"',
  'runas /user:a "del x"',
  '>a del x',
  '2>nul del x',
  'dir 2>&1 & del x',
  'echo "a" & del x',
  'echo "%a% & del x',
  'powershell del x',
  'powershell -c "del x"',
  'powershell -NoProfile -enc ZABlAGwAIAB4AA==',
]) {
  check(command, 'deny', 'bash del * deny manifest');
}
for (const command of ['echo "a & del x"', 'echo a ^& del x', 'echo del x', 'if 1==1 dir del']) {
  check(command, 'ask', 'bash del * deny manifest');
}

// A redirection, what is read by `for`, and the programs of Windows.
for (const command of [
  'echo x>.env',
  'echo x >> .env',
  '>.env echo x',
  'dir 2>.env',
  '(echo x)>.env',
  'echo x 2>&1 >.env',
  'dir >nul 2>.env',
  'type<.env',
  'set /p x=<.env',
  'for /f %i in (.env) do echo %i',
  'for /f "tokens=*" %i in (a .env) do echo %i',
  'copy a+.env b',
  'copy /y a .env',
  'xcopy .env b',
  'attrib +h .env',
  'fc .env b',
  'mklink /h a .env',
  'cd sub & type ..\\.env',
  'cd nowhere & type .env',
  'pushd sub && type ..\\.env',
  'type=.env',
  'powershell gc .env',
  'powershell -c "iwr a.example -OutFile .env"',
]) {
  check(command, 'deny', 'fs.read .env deny', 'fs.write .env deny');
}
for (const command of ['echo x>b', 'type nul>b', 'echo .env', 'dir 2>&1', 'cd sub & type .env']) {
  check(command, 'ask', 'fs.read ../.env deny', 'fs.write ../.env deny');
}
// Only files in the set of a loop are typed.
check('for /f %i in (a) do echo %i', 'deny', 'bash type * deny');
check('for /f %i in ("a b") do echo %i', 'ask', 'bash type * deny');

// Where a line starts is known, so a path rule meets its files.
check('more f', 'deny', 'fs.read f deny');
check('more "a b"', 'deny', 'fs.read a?b deny');
check('more f', 'ask', 'fs.read g deny');
check('type f', 'deny', 'fs.read f deny');
check('C:\\bin\\TYPE.EXE f', 'deny', 'fs.read f deny');
check('del f', 'deny', 'fs.write f deny');
check('copy a f', 'deny', 'fs.write f deny');
check('cat f', 'deny', 'fs.read f deny');
check('echo del', 'ask', 'bash del * deny');

// A line of the greatest length is looked at, a longer one cannot run.
check('a'.repeat(128 * 1024), 'ask');
check('a'.repeat(128 * 1024 + 1), 'deny');
check(`${'cmd /c '.repeat(21)}dir`, 'deny');
// What takes more looks than a line may have is refused: a deny must not be lost behind it.
check(`docker run ${'a '.repeat(60_000)}& del x`, 'deny', 'bash del * deny');

// Cmd.exe may have replaced parts of it, so what bash would find is not looked up.
test('cmd: what a pattern in a text for bash names is left open', async () => {
  const { decision, reason } = await evaluateBash('bash -c "cat .e*"', ['bash * allow'], {
    shell: 'cmd',
  });
  assert.equal(decision, 'ask');
  assert.match(reason, /can't tell which file `\.e\*` names/);
});

test('cmd: what is copied by a pattern comes with its folders, and what is removed does not', async () => {
  const root = plantWorkspace(['gen.ts/.envrc', 'a.ts']);
  const explain = async (line: string) => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const rules = ['bash * allow', 'fs.* ** allow'];
    return (await evaluateBash(line, rules, { shell: 'cmd', folders })).reason;
  };
  assert.match(await explain('xcopy /s *.ts new'), /`gen\.ts\/\.envrc`/);
  assert.doesNotMatch(await explain('del /s *.ts'), /envrc/);
  assert.match(await explain('robocopy gen.ts new'), /`gen\.ts\/\.envrc`/);
  assert.doesNotMatch(await explain('xcopy gen.ts new'), /envrc/);
});

// The folders that a command takes in are looked through, however its switches are written.
for (const command of [
  'rd /s /q sub',
  'rd /s/q sub',
  'rmdir /S/Q sub',
  'rd/s/q sub',
  'rd sub/s/q',
  'xcopy /s/e sub x',
  'robocopy a sub /PURGE',
  'del /s /q *.env',
  'attrib +r /s sub\\*',
]) {
  test(`cmd: ${command} names the rule for a file below`, async () => {
    const rules = ['bash * allow', 'fs.write sub/.env deny'];
    const { reason } = await evaluateBash(command, rules, { shell: 'cmd' });
    assert.match(reason, /`fs\.write sub\/\.env`/);
  });
}
