import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['a.o', 'sub/b.o']);
writeFileSync(path.join(root, 'lib.a'), '!<arch>\nx');
writeFileSync(path.join(root, 'thin.a'), '!<thin>\n//    20\n/etc/passwd/\n');
writeFileSync(path.join(root, 'sub/plain'), '!<thin>\n');
symlinkSync('thin.a', path.join(root, 'link.o'));
mkdirSync(path.join(root, 'folder'));

async function decide(line: string, rules = DEFAULT_RULES): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(rules, { folders, lookMs: 60_000 }))).decision;
}

const OWN = rulesOf('bash * allow');

for (const [line, expected] of [
  ['nm -C lib.a', 'allow'],
  ['objdump -d a.o', 'allow'],
  ['readelf -a a.o', 'allow'],
  ['nm -C none.a', 'allow'],
  ['nm -C folder', 'allow'],
  ['wc -c thin.a', 'allow'],
  ['file thin.a', 'allow'],
  // The archive names other files, which may lie anywhere.
  ['nm -C thin.a', 'ask'],
  ['nm -C a.o thin.a', 'ask'],
  ['nm -C link.o', 'ask'],
  ['nm -C *.a', 'ask'],
  ['objdump -d thin.a', 'ask'],
  ['objdump -s sub/plain', 'ask'],
  ['readelf -a thin.a', 'ask'],
  ['cd sub && nm -C plain', 'ask'],
  ['x=thin.a; nm -C "$x"', 'ask'],
] as const)
  test(`${line} is ${expected}`, async () => {
    assert.equal(await decide(line), expected);
    if (expected === 'ask') assert.equal(await decide(line, OWN), expected);
  });

test('a command before may make it such an archive', async () => {
  for (const line of [
    'cp thin.a a.o; nm -C a.o',
    'tar xf x.tar && objdump -d a.o',
    'size a.o; mv x a.o; size a.o',
  ])
    assert.equal(
      await decide(line, rulesOf('bash * allow', 'bash tar xf x.tar allow')),
      'ask',
      line,
    );
  assert.equal(await decide('ls; nm -C a.o; size lib.a', OWN), 'allow');
});
