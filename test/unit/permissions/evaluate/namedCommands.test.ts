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

// Another command of that name is denied, this one is not.
check('frob rm x', ['bash rm -rf * deny'], 'allow');
check('frob rm -rf x', ['bash rm -rf * deny'], 'ask');
check('frob rm-x', ['bash rm * deny'], 'allow');
check('frob rm', ['bash rm deny'], 'ask');
// What is known to start nothing may name what it likes.
check('echo rm x', ['bash rm * deny'], 'allow');
