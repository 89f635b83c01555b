import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeBash } from '../ask.ts';

/** What cmd.exe would be given, under a blanket allow and these rules. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  const name = command.length > 80 ? `${command.slice(0, 80)}… (${command.length})` : command;
  test(`cmd: ${name} is ${expected} under ${rules.join(', ') || 'no more'}`, async () => {
    const all = ['bash * allow', ...rules];
    const { decision, reason } = await judgeBash(command, all, { shell: 'cmd', platform: 'win32' });
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
// What takes more looks than a line may have is refused: a deny must not be lost behind it.
check(`docker run ${'a '.repeat(60_000)}& del x`, 'deny', 'bash del * deny');
