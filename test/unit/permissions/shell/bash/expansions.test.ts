import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/**
 * An expansion where no program gets it: what it expands to does not matter, only whether it runs
 * something or changes the shell (C4).
 */
function check(command: string, expected: string) {
  test(`bash * makes ${JSON.stringify(command)} ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

for (const word of [
  '$x',
  `\${x}`,
  `\${#x}`,
  `\${x:-y}`,
  `\${x-$(pwd)}`,
  `\${x:+y}`,
  `\${x:?y}`,
  `\${x#a}`,
  `\${x%.*}`,
  `\${x/a/b}`,
  `\${x^^}`,
  '$(ls a)',
  '`ls a`',
  '<(ls a)',
  '$((1))',
  '$((0x1F + 2#101 - 10))',
  '$((1,2))',
])
  check(`x=a; for i in ${word}; do pwd; done`, 'allow');

for (const word of [
  // The variable that is read is named by a variable, so its value may hold a subscript.
  `\${!x}`,
  `\${!x*}`,
  // `x='a[$(id)]'; echo ${a[x]}` runs `id`; so does arithmetic on `x`.
  `\${a[1]}`,
  `\${#a[x]}`,
  `\${x:1}`,
  `\${x:0:y}`,
  '$((x))',
  '$((1 + x))',
  '$((x = 1))',
  '$((x++))',
  '$(( ))',
  '$((`pwd`))',
  // With `a[$(id)]` in `f`, bash runs `id`.
  '$(( $(cat f) ))',
  '$((1 + $(cat f)))',
  // `@P` expands the value as a prompt, and that runs its substitutions.
  `\${x@P}`,
  // They set a variable that a later command may read.
  `\${x=y}`,
  `\${x:=y}`,
  `\${x&}`,
  `\${x y}`,
])
  check(`for i in ${word}; do pwd; done`, 'ask');

for (const condition of [
  '[[ -n x ]]',
  '[[ ! -f x && a == b ]]',
  '[[ 1 -eq 2 ]]',
  '[[ -1 -lt 20 ]]',
  '((1 + 1))',
  '((1))',
])
  check(`${condition} && pwd`, 'allow');

for (const condition of [
  // `[[ -v 'a[$(id)]' ]]` and `[[ 'a[$(id)]' -eq 1 ]]` run `id`.
  '[[ -v x ]]',
  '[[ -R x ]]',
  '[[ ! -v x ]]',
  '[[ x -eq 1 ]]',
  '[[ 1 -ne x ]]',
  '[[ $x -lt 1 ]]',
  '[[ 1 -le "$x" ]]',
  '[[ 1 -gt 1x ]]',
  '[[ a == b || x -ge 1 ]]',
  '((x))',
  '((x += 1))',
  '(($(cat f)))',
])
  check(`${condition} && pwd`, 'ask');
