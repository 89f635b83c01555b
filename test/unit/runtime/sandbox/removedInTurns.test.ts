import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  makeFolders,
  removeFolder,
  removeLargeFolder,
} from '../../../../src/runtime/sandbox/folders.ts';

/** More than can be removed before others get their turn. */
const MANY = 4000;

function temporary(t: TestContext): string {
  const base = mkdtempSync(path.join(tmpdir(), 'sandbox-'));
  t.after(() => removeFolder(base));
  return base;
}

function fill(folder: string, count = MANY): void {
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < count; file += 1) writeFileSync(path.join(folder, String(file)), '');
}

/** How often other work of the host got its turn before it was done. */
async function countTurns(work: Promise<void>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  for (; !isDone; turns += 1) await nextTurn();
  await done;
  return turns;
}

test('a folder of many files is removed in turns, and its name is free at once', async (t) => {
  const base = temporary(t);
  const outside = path.join(base, 'outside');
  mkdirSync(outside);
  const folder = path.join(base, 'folder');
  fill(folder);
  symlinkSync(outside, path.join(folder, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/odd-`), Buffer.of(0xff)]), '');
  const removed = removeLargeFolder(folder);
  assert.ok(!existsSync(folder));
  assert.ok((await countTurns(removed)) > 1);
  assert.deepEqual(readdirSync(base), ['outside']);
});

test('what a command left in HOME and over hidden files is put away at once, and holds nothing up', async (t) => {
  const base = temporary(t);
  const home = path.join(base, 'home');
  fill(home);
  fill(path.join(base, 'mask/0'), 10);
  chmodSync(path.join(base, 'mask/0'), 0o000);
  makeFolders(base, 1);
  assert.deepEqual([readdirSync(home), readdirSync(path.join(base, 'mask'))], [[], []]);
  const old = () => readdirSync(base).filter((name) => name.startsWith('old-'));
  // Otherwise it would have held up the command.
  assert.ok(old().length > 0);
  while (old().length > 0) await nextTurn();
});
