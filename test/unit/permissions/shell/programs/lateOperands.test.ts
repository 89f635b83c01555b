import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../../ask.ts';

/** A repository that holds links named like options, which lead out of it. */
const root = plantWorkspace(['a.txt', 'src/b.txt']);
mkdirSync(path.join(root, '..', 'outside'));
writeFileSync(path.join(root, '..', 'outside', 'x'), 'outside\n');
for (const name of ['-n', '5', '-x']) symlinkSync('../outside/x', path.join(root, name));
symlinkSync('../outside', path.join(root, '-l'));

const decide = async (line: string, platform: NodeJS.Platform) => {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders, platform }))).decision;
};

const LINES = ['cat a.txt -n', 'head a.txt -n 5', 'wc a.txt -l', 'ls src -l', 'grep a a.txt -x'];

for (const line of LINES)
  test(`${line} asks where options end at the first operand, on Linux it doesn't`, async () => {
    for (const platform of ['darwin', 'freebsd', 'openbsd', 'sunos'] as const)
      assert.equal(await decide(line, platform), 'ask', platform);
    assert.equal(await decide(line, 'linux'), 'allow');
  });

test('an environment with POSIXLY_CORRECT makes options on Linux end there, too', async (t) => {
  process.env['POSIXLY_CORRECT'] = '1';
  t.after(() => delete process.env['POSIXLY_CORRECT']);
  assert.equal(await decide('cat a.txt -n', 'linux'), 'ask');
  const printed = execFileSync('cat', ['a.txt', '-n'], { cwd: root, encoding: 'utf8' });
  assert.match(printed, /outside/);
});

test('options behind operands ask on macOS only if such a file leads out', async () => {
  for (const line of ['cat a.txt -e', 'grep -c a a.txt -i', 'rg a a.txt -n', 'jq . a.txt -r'])
    assert.equal(await decide(line, 'darwin'), 'allow', line);
  for (const line of ['cat -n a.txt', 'head -n 5 a.txt'])
    assert.equal(await decide(line, 'darwin'), 'allow', line);
});
