import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../ask.ts';

/** `frob` is known to nobody: whatever it names it may start. */
function check(command: string, rules: readonly string[], expected: string) {
  const shown = command.length > 60 ? `${command.slice(0, 60)}…` : command;
  test(`${shown} under ${rules.join(', ')} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', ...rules]);
    assert.equal(decision, expected, reason);
  });
}

const FILLED = 'frob '.concat('a '.repeat(60));

for (const command of [
  'frob rm x',
  'frob a b rm x',
  'frob /usr/bin/rm x',
  'frob --exec=rm',
  'frob --exec=/usr/bin/rm x',
  "frob 'rm x'",
  "frob 'ls; rm x'",
  'frob "--run=ls && rm x"',
  "frob '$(rm x)'",
  // No number of words in front weakens what a rule says of the one behind them.
  `${FILLED} rm x`,
]) {
  check(command, ['bash rm * ask'], 'ask');
  check(command, ['bash rm * deny'], 'ask');
  check(command, ['bash mv * deny'], 'allow');
}

// Code of another language that runs a command.
for (const command of [
  `frob -if 'system("rm x")' f`,
  `frob 'system "rm x"'`,
  "frob --eval '%(rm x)'",
  "frob --config alias.x='!rm x' x",
  'frob --address=unixexec:path=/bin/rm,argv1=x',
  "frob -e 'system q(rm x)'",
  `frob "exec{'/bin/rm x':}"`,
  'task execute rm x',
])
  check(command, ['bash rm * deny'], 'ask');
check("gem open -e 'rm x' rdoc", ['bash rm * deny'], 'deny');
check('composer exec rm x', ['bash rm * deny'], 'deny');
// The programs of git's own subcommands.
check('/usr/lib/git-core/git-push origin', ['bash git push * deny'], 'deny');
check('git-push origin', ['bash git push * deny'], 'deny');
check('/usr/lib/git-core/git-grep --no-index x', ['fs.read **/.env deny'], 'deny');
check('/usr/lib/git-core/git-grep -Oid x', [], 'ask');
check('git-push origin', ['bash rm * deny'], 'allow');
check('git-lfs push origin', ['bash git lfs * deny'], 'allow');
// A sentence isn't code.
check('frob --title "Remove (rm) old"', ['bash rm * deny'], 'allow');
check('frob -m "fix: rm unused (rm dead code)"', ['bash rm * deny'], 'allow');

// Another command of that name is denied, this one is not.
check('frob rm x', ['bash rm -rf * deny'], 'allow');
check('frob rm -rf x', ['bash rm -rf * deny'], 'ask');
check('frob rm-x', ['bash rm * deny'], 'allow');
check('frob rm', ['bash rm deny'], 'ask');
// What is known to start nothing may name what it likes.
check('echo rm x', ['bash rm * deny'], 'allow');
