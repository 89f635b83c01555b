import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf } from '../ask.ts';

async function decide(line: string, shell: 'bash' | 'pwsh', platform: NodeJS.Platform = 'win32') {
  const policy = policyOf(DEFAULT_RULES, { shell, platform });
  return (await evaluate(bashCall(line), policy)).decision;
}

// Windows contacts the host of a share when a program only looks whether a file is there.
test('a default rule allows no word that may be a share of another machine on Windows', async () => {
  for (const line of [
    'test -f //host/share/x',
    '[ -e //host/share ]',
    'test -e \\\\\\\\host\\\\share',
    'cd \\\\\\\\host\\\\share',
    "cd '\\\\host\\share'",
    'which //host/share/x',
    'type //host/share/x',
    'command -v //host/share/x',
    'git rev-parse //host/share',
    'git check-attr -a //host/share/x',
  ]) {
    assert.equal(await decide(line, 'bash'), 'ask', line);
  }
  for (const line of [
    'cd \\\\host\\share',
    'cd "\\\\host\\share"',
    'which \\\\host\\x',
    'cd \\\\.\\pipe\\x',
  ])
    assert.equal(await decide(line, 'pwsh'), 'ask', line);
  for (const line of ['test -f a.txt', 'echo //host/x', 'basename //host/x', 'cd src', 'which git'])
    assert.equal(await decide(line, 'bash'), 'allow', line);
  assert.equal(await decide('curl http://localhost/x', 'bash'), 'allow');
  assert.equal(await decide('test -f //host/share/x', 'bash', 'linux'), 'allow');
});
