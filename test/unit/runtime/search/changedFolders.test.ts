import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  changedSince,
  findFiles,
  readInside,
} from '../../../../src/runtime/search/changedFolders.ts';
import { ALLOW_ALL, type Bed, openBed } from '../../tools/bed.ts';
import { dataOf, openSession } from '../../tools/session.ts';

/** Long before, and long after, any test. */
const [BEFORE, AFTER] = [0, Date.UTC(3000, 0)];

test('a file is doubtful when its folder, or one above it, changed since the search began', () => {
  using bed = plant();
  const names = ['a', 'flip/f', 'flip/deep/g', 'missing/x'];
  assert.deepEqual(names.filter(changedSince(bed.workspace, BEFORE)), names);
  // A missing folder counts as changed, whatever its parent reports.
  assert.deepEqual(names.filter(changedSince(bed.workspace, AFTER)), ['missing/x']);
});

test('a folder replaced by a link is doubtful, with everything below it', () => {
  using bed = plant();
  swap(bed);
  const doubtful = ['a', 'flip/f', 'flip/deep/g'].filter(changedSince(bed.workspace, AFTER));
  assert.deepEqual(doubtful, ['flip/f', 'flip/deep/g']);
});

test('only what lies in the folders themselves is found and read again', () => {
  using bed = plant();
  const names = ['a', 'flip/f', 'flip/deep/g', 'flip/outname', 'flip/deep', 'link', 'none'];
  symlinkSync(path.join(bed.outside, 'f'), path.join(bed.workspace, 'link'));
  const here = () => ({
    found: [...findFiles(bed.workspace, names)],
    read: names.filter((name) => readInside(bed.workspace, name) !== undefined),
  });
  const before = ['a', 'flip/f', 'flip/deep/g'];
  assert.deepEqual(here(), { found: before, read: before });
  swap(bed);
  assert.deepEqual(here(), { found: ['a'], read: ['a'] });
});

test('a folder repeatedly swapped for a link never leaks outside names into a search', async () => {
  using bed = plant();
  // Enough folders that ripgrep is still running while they are swapped.
  for (let n = 0; n < 100; n += 1) {
    mkdirSync(path.join(bed.workspace, `d${n}`));
    writeFileSync(path.join(bed.workspace, `d${n}/f`), 'needle inside\n');
  }
  mkdirSync(path.join(bed.workspace, 'in'));
  renameSync(path.join(bed.workspace, 'flip'), path.join(bed.workspace, 'in/flip'));
  const flipper = new Worker(FLIPPER, { eval: true, workerData: bed });
  await new Promise((resolve) => flipper.once('message', resolve));
  try {
    await using session = openSession(bed, { rules: ALLOW_ALL });
    for (let round = 0; round < 8; round += 1) {
      const found = dataOf(await session.call('grep', { pattern: 'needle' }));
      assert.doesNotMatch(JSON.stringify(found), /OUTSIDE|outname/);
      const listed = dataOf(await session.call('glob', { pattern: '**' }));
      assert.doesNotMatch(JSON.stringify(listed), /outname/);
    }
  } finally {
    await flipper.terminate();
  }
});

const FLIPPER = `
const { parentPort, workerData } = require('node:worker_threads');
const fs = require('node:fs');
const flip = workerData.workspace + '/in/flip', kept = workerData.root + '/kept';
parentPort.postMessage('started');
for (;;) {
  fs.renameSync(flip, kept); fs.symlinkSync(workerData.outside, flip);
  fs.unlinkSync(flip); fs.renameSync(kept, flip);
}`;

function swap({ root, workspace, outside }: Bed): void {
  renameSync(path.join(workspace, 'flip'), path.join(root, 'kept'));
  rmSync(path.join(workspace, 'flip'), { force: true });
  symlinkSync(outside, path.join(workspace, 'flip'));
}

function plant(): Bed {
  const bed = openBed();
  mkdirSync(path.join(bed.workspace, 'flip/deep'), { recursive: true });
  mkdirSync(path.join(bed.outside, 'deep'));
  for (const name of ['a', 'flip/f', 'flip/deep/g']) {
    writeFileSync(path.join(bed.workspace, name), 'needle inside\n');
  }
  for (const name of ['f', 'outname', 'deep/g']) {
    writeFileSync(path.join(bed.outside, name), 'needle OUTSIDE\n');
  }
  return bed;
}
