import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createJournal, recoverJournal } from '../../../src/runtime/journal.ts';
import { createLocalFiles } from '../../../src/runtime/localFiles.ts';
import type { Gate, Touch } from '../../../src/runtime/runtime.ts';
import { type Bed, openBed } from '../tools/bed.ts';

test('a file that changed after it was read is a conflict, and stays', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'old\n');
  const read = await files.readText('f');
  assert.ok(read.ok);
  writeFileSync(file, 'other\n');
  const written = await files.splice(read.data, [{ start: 0, end: 3, text: 'new' }]);
  assert.match(written.ok ? '' : written.error, /changed meanwhile/);
  assert.equal(readFileSync(file, 'utf8'), 'other\n');
});

test('a file that was deleted after it was read is a conflict, and is not made again', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'old\n');
  const read = await files.readText('f');
  assert.ok(read.ok);
  unlinkSync(file);
  const written = await files.splice(read.data, [{ start: 0, end: 3, text: 'new' }]);
  assert.match(written.ok ? '' : written.error, /deleted meanwhile/);
});

test('a file that appeared is never overwritten by one that is new', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'first');
  const created = await files.create('f', 'second');
  assert.match(created.ok ? '' : created.error, /created meanwhile/);
  assert.equal(readFileSync(file, 'utf8'), 'first');
});

test('the gate is asked about the real file behind each link', async () => {
  using bed = openBed();
  const { files, file, touched } = open(bed);
  writeFileSync(file, 'text');
  symlinkSync('f', path.join(bed.workspace, 'link'));
  const read = await files.readText('link');
  assert.ok(read.ok);
  assert.ok((await files.splice(read.data, [])).ok);
  assert.deepEqual(touched, [
    { capability: 'fs.read', target: file },
    { capability: 'fs.write', target: file },
  ]);
});

test('a refusal of the gate is the answer, and nothing is touched', async () => {
  using bed = openBed();
  const { files } = open(bed, async () => ({ ok: false, error: 'not this one' }));
  assert.deepEqual(await files.create('a/b', 'x'), { ok: false, error: 'not this one' });
  assert.deepEqual(await files.files({ directory: '.', pattern: '*' }), {
    ok: false,
    error: 'not this one',
  });
});

test('a folder swapped for a link while the gate decides is not followed', async () => {
  using bed = openBed();
  const folder = path.join(bed.workspace, 'folder');
  mkdirSync(folder);
  const swap = async () => {
    renameSync(folder, `${folder}-kept`);
    symlinkSync(bed.outside, folder);
    return { ok: true, data: undefined } as const;
  };
  const { files } = open(bed, swap);
  const created = await files.create('folder/new', 'x');
  assert.ok(!created.ok);
  assert.throws(() => readFileSync(path.join(bed.outside, 'new')), /ENOENT/);
});

test('a copy in the journal of a dead process brings the file back', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'whole content');
  linkSync(file, path.join(bed.workspace, 'second'));
  const state = path.join(bed.data, 'state');
  await createJournal(state).keepCopy(file, readFileSync(file));
  writeFileSync(file, 'ha');
  assert.deepEqual(await recoverJournal(state), [], 'this process is alive and still writes');
  assert.equal(readFileSync(file, 'utf8'), 'ha');

  pretendDead(path.join(state, 'journal'));
  assert.deepEqual(await recoverJournal(state), [file]);
  assert.equal(readFileSync(path.join(bed.workspace, 'second'), 'utf8'), 'whole content');
});

function pretendDead(folder: string): void {
  const name = readdirSync(folder).find((each) => each.endsWith('.json'));
  assert.ok(name);
  const entry = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  // No process has this id: it is above what the kernel gives out.
  writeFileSync(path.join(folder, name), JSON.stringify({ ...entry, pid: 2 ** 30 }));
}

function open(bed: Bed, authorize?: Gate['authorize']) {
  const touched: Touch[] = [];
  const allow: Gate['authorize'] = async (touch) => {
    touched.push(touch);
    return { ok: true, data: undefined };
  };
  const files = createLocalFiles({
    places: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
    gate: { authorize: authorize ?? allow },
    journal: createJournal(undefined),
    signal: new AbortController().signal,
  });
  return { files, touched, file: path.join(bed.workspace, 'f') };
}
