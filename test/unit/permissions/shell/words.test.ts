import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../ask.ts';

/** A word is literal when the program gets exactly what the line says, whatever quotes it wears. */
function check(command: string, expected: string) {
  test(`bash * makes ${command} ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

for (const word of [
  'a',
  '""',
  "''",
  '"a b"',
  "'$(id)'",
  '"a\\$b"',
  "$'a\\x62'",
  '$"a"',
  'a\\*',
  '"a*"',
  'a\\$x',
  '\\~',
  '~',
  '~/a',
  'a~',
  'a{',
  '@a=b',
  // Known from the folder.
  'a"$(pwd)"b',
])
  check(`ls ${word}`, 'allow');

for (const word of [
  '$x',
  '"$x"',
  '"a$x"',
  '"$x b"',
  '$"a$x"',
  'a`pwd`',
  'a"$(id)"b',
  '!(a)',
  '{1..2}',
  // The old form of `$((1))`, whole, without its end, and across lines.
  '$[1]',
  '"$[1]"',
  '$[1',
  '$\\\n[1]',
  '"$\\\n[1]"',
  '~"/a"',
  '<(pwd)',
])
  check(`ls ${word}`, 'ask');

// Readers may be given what a glob or a list matches; no other program may.
for (const word of ['{a,b}', 'a*', 'a?', '[ab]']) {
  check(`ls ${word}`, 'allow');
  check(`rm ${word}`, 'ask');
}

// Bash looks for a brace that closes a list behind its first comma, and so finds one in `{a}b,c}`.
for (const word of [
  ...[
    '{a}b,.env}',
    '%{}a,b}',
    '{a}{a}a,b}',
    '{a}!a,b}{}a,b}+',
    '/{a}\\a,b}',
    "{a}'',''}",
    '{a}"x",b}',
  ],
  ...['x{a}{b},c}', '--x={}a,b}'],
]) {
  check(`ls ${word}`, 'ask');
  check(`for x in ${word}; do cat $x; done`, 'ask');
  check(`x=a; cat "$x"${word}`, 'ask');
  check(`bash -c 'ls ${word.replaceAll("'", `'"'"'`)}'`, 'ask');
}
for (const word of [
  '{}',
  '{a}',
  'a,b',
  '"{a}b,c}"',
  "'{a}'b,c}",
  '\\{a}b,c',
  'a,b{c}',
  'stash@{0}',
])
  check(`ls ${word}`, 'allow');

for (const word of ['CI=a', 'CI="a b"', "CI='$x'", 'CI=']) check(`export ${word}`, 'allow');
for (const word of ['CI=$x', 'CI="a$x"', 'CI=(a b)', 'CI[0]=a', 'CI+=a', 'PATH=a'])
  check(`export ${word}`, 'ask');

/** The program's name is taken from the same words, so that a deny meets it in any quotes. */
for (const command of [
  "r''m x",
  '"rm" x',
  "$'r\\155' x",
  // Bash ends such a string at its NUL.
  "$'rm\\0a' x",
  '$"rm" x',
  'r\\m x',
]) {
  test(`a deny of rm meets ${command}`, async () => {
    const { decision } = await evaluateBash(command, ['bash * allow', 'bash rm * deny']);
    assert.equal(decision, 'deny');
  });
}

for (const [shell, command] of [
  ['bash', '"more" ".env"'],
  ['cmd', '"more" ".env"'],
] as const) {
  test(`a quoted name is a file: ${command} in ${shell}`, async () => {
    const rules = ['bash * allow', 'fs.read .env deny'];
    const { decision, reason } = await evaluateBash(command, rules, { shell });
    assert.equal(decision, 'deny', reason);
  });
}
