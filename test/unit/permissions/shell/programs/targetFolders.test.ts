import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

const RULES = [
  'bash cp * allow',
  'bash mv * allow',
  'bash ln * allow',
  'bash install * allow',
  'fs.* ** allow',
];
const FORMS = [
  (folder: string) => `-t${folder}`,
  (folder: string) => `-vt${folder}`,
  (folder: string) => `-t ${folder}`,
  (folder: string) => `--target-directory=${folder}`,
  (folder: string) => `--target-directory ${folder}`,
  (folder: string) => `--targ=${folder}`,
  (folder: string) => `--t=${folder}`,
];

for (const program of ['cp', 'mv', 'ln', 'install']) {
  test(`the target folder of ${program} is one that it writes to, however it is given`, async () => {
    for (const form of FORMS) {
      const line = `${program} src/f ${form('out')}`;
      const denied = await evaluateBash(line, [...RULES, 'fs.write out/** deny']);
      assert.equal(denied.decision, 'deny', line);
    }
  });

  test(`a wildcard covers no target folder of ${program}`, async () => {
    for (const folder of ['out', '..', '/tmp', '.vscode'])
      for (const form of FORMS) {
        const line = `${program} src/f ${form(folder)}`;
        assert.equal((await evaluateBash(line, RULES)).decision, 'ask', line);
      }
  });
}

test('a rule that spells the target folder allows it', async () => {
  const rules = ['bash cp -t out * allow', 'fs.* ** allow'];
  assert.equal((await evaluateBash('cp -t out src/f', rules)).decision, 'allow');
  assert.equal((await evaluateBash('cp -t conf.d src/f', rules)).decision, 'ask');
});

test('the last operand is a target folder without asking', async () => {
  const lines = ['cp src/f out', 'cp -rT src out', 'mv src/f out', 'install -m644 src/f out'];
  for (const line of [...lines, 'cp --no-target-directory src/f out/f'])
    assert.equal((await evaluateBash(line, RULES)).decision, 'allow', line);
});
