import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../ask.ts';

test('a sweep that is repeated after a change is decided again', async () => {
  const root = plantWorkspace(['src/a.ts', 'lib/a.ts', 'a.tar']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => {
    const rules = ['bash * allow', '* **/.env deny'];
    return (await evaluateBash(line, rules, { folders })).decision;
  };
  const sweeps = ['grep -rn x src', 'rg --hidden x src', 'diff -r src lib'];
  const changes = ['tar xf a.tar -C src', 'unzip a.zip -d src', 'npm test', 'git checkout other'];
  for (const sweep of sweeps) {
    assert.equal(await decide(`${sweep}; ${sweep}`), 'allow', sweep);
    for (const change of changes) {
      const line = `${sweep}; ${change}; ${sweep}`;
      assert.notEqual(await decide(line), 'allow', line);
    }
  }
});
