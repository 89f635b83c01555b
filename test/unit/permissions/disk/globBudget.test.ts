import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGlobBudget, expandGlob } from '../../../../src/permissions/disk/expandGlob.ts';
import { evaluateBash, plantWorkspace } from '../ask.ts';

const files = Array.from({ length: 60 }, (_, index) => `src/f${index}.ts`);
const root = plantWorkspace([...files, 'a.ts', 'b.ts']);
const folders = { workspace: [root], adHoc: [], cwd: root };

async function decide(line: string, more: object): Promise<readonly [string, string]> {
  const { decision, reason } = await evaluateBash(line, ['bash * allow'], { folders, ...more });
  return [decision, reason];
}

test('the globs of a line share one number of entries', async () => {
  assert.equal((await decide('cat src/*.ts; cat src/f1*', {}))[0], 'allow');
  assert.equal((await decide('cat src/*.ts', { globEntries: 70 }))[0], 'allow');
  assert.deepEqual(await decide('cat src/*.ts; cat src/f1*', { globEntries: 70 }), [
    'ask',
    "Gatehouse can't tell which files `src/f1*` matches, because there are more than 70 files to look at.",
  ]);
  // A loop and a nested list can't get more.
  for (const line of ['cat src/*.ts src/*.ts', 'cat {src,src}/*.ts', 'cat */*.ts */*.ts'])
    assert.equal((await decide(line, { globEntries: 70 }))[0], 'ask', line);
});

test('each entry of a folder is one look', () => {
  const small = plantWorkspace(['a.ts', 'b.ts', 'c.md']);
  const expand = (globEntries: number) =>
    expandGlob('*.ts', small, createGlobBudget({ globEntries })).ok;
  assert.deepEqual([2, 3, 4, 5].map(expand), [false, false, true, true]);
});

test('and one time', async () => {
  assert.deepEqual(await decide('cat *.ts', { lookMs: -1 }), [
    'ask',
    "Gatehouse can't tell which files `*.ts` matches, because looking takes longer than -1 ms.",
  ]);
  const budget = createGlobBudget({ lookMs: 60_000 });
  assert.equal(expandGlob('*.ts', root, budget).ok, true);
  budget.end = performance.now() - 1;
  assert.equal(expandGlob('*.ts', root, budget).ok, false);
});
