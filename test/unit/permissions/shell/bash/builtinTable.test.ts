import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

function check(expected: string, ...commands: readonly string[]) {
  for (const command of commands) {
    test(`a builtin: ${command} is ${expected}`, async () => {
      const { decision, reason } = await evaluateBash(command, ['bash * allow']);
      assert.equal(decision, expected, reason);
    });
  }
}

check('allow', 'printf a-v b', 'set -e; ls', 'set -eu -x; ls', 'set -o pipefail; ls', 'test -e a');
// Without words `set` shows every variable; a word that is no option becomes `$1`.
check('ask', 'printf a%n PATH', 'printf -- %5n PATH', "printf '%%%ln' PATH");
check('allow', 'printf %%n x', 'printf 100%');
check('ask', 'printf -v x y', 'printf -vx y', 'set; ls', 'set -e a; ls', 'set a -e; ls');
check('ask', 'test -v x', '[ -R x ]', 'jobs -x ls', 'wait -p x', 'wait -fp x');
