import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

function check(expected: string, ...commands: readonly string[]) {
  for (const command of commands) {
    test(`a link of the line's own: ${command} is ${expected}`, async () => {
      const { decision, reason } = await evaluateBash(command, ['bash * allow', 'fs.* ** allow']);
      assert.equal(decision, expected, reason);
    });
  }
}

check(
  'ask',
  'ln -s / x; cat x/etc/z',
  'gln -s / x; cat x/etc/z',
  'link a x; cat x',
  '/bin/ln a x; cat x',
  'ln -s a x/; cat x',
  'ln -s a sub/x; cat sub/x',
  // Without a second name the link bears the first one's last.
  'ln -s /a/up; cat up/z',
  'ln -s ../up .; cat up/z',
  'cp -s a x; cat x',
  'cp -rs a x; cat x/b',
  'cp --symbolic-link a x; cat x',
  'ln -s a x; ls > x',
);
check(
  'allow',
  'ln -s a b',
  'ln -s a b; cat c',
  'ln -s a b; cat ln',
  'ln -s a .; cat ./c',
  'cp a x; cat x',
  'cp -r a x; cat x/b',
  'cp --sparse=always a x; cat x',
  'ls -s x; cat x',
);
