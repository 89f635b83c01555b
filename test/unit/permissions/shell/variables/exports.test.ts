import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

function check(line: string, expected: string) {
  test(`${JSON.stringify(line)} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(line, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

// Only the line itself reads the variable.
for (const line of [
  'export X=1; echo $X',
  'export x=1 && echo "$x"',
  'export FOO=a BAR=b; printf "%s %s" "$FOO" "$BAR"',
  'export CI=1 x=2; [ -n "$x" ] && echo yes',
  'X=1; echo $X',
  'export x=1; cd .; pwd; echo "$x"',
  '(export x=1; echo $x)',
  'export CI=1; npm test',
])
  check(line, 'allow');

// A program may read it, or it changes what the shell does.
for (const line of [
  'export x=1; make',
  'export x=1; sh -c "echo y"',
  'export x=1; echo $x | cat',
  'make; export x=1',
  'for i in 1 2; do make; export x=1; done',
  'export x=1; echo "$(make)"',
  'f() { make; }; export x=1; f',
  'export x=1; eval make',
  'export x=1; . ./a',
  'export PATH=x; echo y',
  'export LD_PRELOAD=x; echo y',
  'export IFS=x; echo $y',
  'export BASH_ENV=x; echo y',
  'export PS4=x; echo y',
  'export npm_config_x=1; echo y',
  'export http_proxy=x; echo y',
  'export x; echo $x',
  'export -n x=1; echo $x',
  'export -f x; echo y',
  'export x=$(make); echo $x',
  'export x="$y"; echo $x',
  'export Z=1; echo $Z',
])
  check(line, 'ask');
