import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  createJournal,
  type Journal,
  recoverJournal,
} from '../../../../src/runtime/files/journal.ts';
import { createLocalFiles } from '../../../../src/runtime/files/localFiles.ts';
import type { Gate, TextFile, Touch } from '../../../../src/runtime/runtime.ts';
import { DEAD } from '../../base/disk/deadMark.ts';
import { type Bed, openBed } from '../../tools/bed.ts';

test('a file that changed after it was read is a conflict, and is kept', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'old\n');
  const read = await files.readText('f');
  assert.ok(read.ok);
  writeFileSync(file, 'other\n');
  const written = await files.splice(read.data, [{ start: 0, end: 3, text: 'new' }]);
  assert.match(written.ok ? '' : written.error, /changed after it was read/);
  assert.equal(readFileSync(file, 'utf8'), 'other\n');
});

test('a file that was deleted after it was read is a conflict, and is not recreated', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'old\n');
  const read = await files.readText('f');
  assert.ok(read.ok);
  unlinkSync(file);
  const written = await files.splice(read.data, [{ start: 0, end: 3, text: 'new' }]);
  assert.match(written.ok ? '' : written.error, /deleted after it was read/);
});

test('a new file never overwrites one created in the meantime', async () => {
  using bed = openBed();
  const { files, file } = open(bed);
  writeFileSync(file, 'first');
  const created = await files.create('f', 'second');
  assert.match(created.ok ? '' : created.error, /created in the meantime/);
  assert.equal(readFileSync(file, 'utf8'), 'first');
});

test('the gate authorizes the real file behind each link', async () => {
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

test('a refusal of the gate is returned, and nothing is touched', async () => {
  using bed = openBed();
  const { files } = open(bed, async () => ({ ok: false, error: 'not this one' }));
  assert.deepEqual(await files.create('a/b', 'x'), { ok: false, error: 'not this one' });
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

test('a folder on the way that is swapped for a link while the gate decides is not followed', async () => {
  using bed = openBed();
  const folder = path.join(bed.workspace, 'folder');
  for (const place of [folder, bed.outside])
    mkdirSync(path.join(place, 'inner'), { recursive: true });
  const swap = async () => {
    renameSync(folder, `${folder}-kept`);
    symlinkSync(bed.outside, folder);
    return { ok: true, data: undefined } as const;
  };
  const { files } = open(bed, swap);
  const created = await files.create('folder/inner/new', 'x');
  assert.match(created.ok ? '' : created.error, /moved while it was being opened/);
  assert.deepEqual(readdirSync(path.join(bed.outside, 'inner')), []);
});

test('a journal copy of a dead process restores the file', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'whole content');
  linkSync(file, path.join(bed.workspace, 'second'));
  const state = path.join(bed.data, 'state');
  await createJournal(state).keepCopy(
    file,
    readFileSync(file),
    Buffer.from('WHOLE CONTENT, longer'),
  );
  writeFileSync(file, 'WHOLe content, lo');
  assert.deepEqual(await recoverJournal(state), [], 'this process is alive and still writes');
  assert.equal(readFileSync(file, 'utf8'), 'WHOLe content, lo');

  pretendDead(path.join(state, 'journal'));
  assert.deepEqual(await recoverJournal(state), [file]);
  assert.equal(readFileSync(path.join(bed.workspace, 'second'), 'utf8'), 'whole content');
});

test('an entry that cannot be undone at one start is kept for the next', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  const state = path.join(bed.data, 'state');
  const journal = path.join(state, 'journal');
  assert.ok(createJournal(state).noteTemporary(file).ok);
  pretendDead(journal);
  // No user can remove a folder as if it were a file.
  mkdirSync(file);
  assert.deepEqual(await recoverJournal(state), []);
  assert.equal(readdirSync(journal).length, 1);

  rmdirSync(file);
  writeFileSync(file, 'half');
  assert.deepEqual(await recoverJournal(state), [file]);
  assert.equal(existsSync(file), false);
  assert.deepEqual(readdirSync(journal), []);
});

test('a file that changed during its journal copy is kept, and no copy undoes it later', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  const { file, read } = await openLinked(bed);
  const journal = createJournal(state);
  const meddling: Journal = {
    ...journal,
    keepCopy(...versions) {
      writeFileSync(file, 'of somebody else\n');
      return journal.keepCopy(...versions);
    },
  };
  const written = await splice(bed, meddling, read);
  assert.match(written.ok ? '' : written.error, /changed after it was read/);
  assert.equal(readFileSync(file, 'utf8'), 'of somebody else\n');
  assert.deepEqual(readdirSync(path.join(state, 'journal')), []);
});

test('without a journal folder nothing is written', async () => {
  using bed = openBed();
  const { file, read } = await openLinked(bed);
  writeFileSync(path.join(bed.data, 'state'), 'a file where a folder should be');
  const journal = createJournal(path.join(bed.data, 'state'));
  const written = await splice(bed, journal, read);
  assert.match(
    written.ok ? '' : written.error,
    /Nothing was changed, because the recovery journal/,
  );
  unlinkSync(path.join(bed.workspace, 'second'));
  const single = await createFiles(bed, journal).readText('f');
  assert.ok(single.ok);
  const refused = await splice(bed, journal, single.data);
  assert.match(
    refused.ok ? '' : refused.error,
    /Nothing was changed, because the recovery journal/,
  );
  assert.equal(readFileSync(file, 'utf8'), 'old\n');
  assert.deepEqual(readdirSync(bed.workspace), ['f']);
});

async function openLinked(bed: Bed) {
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'old\n');
  linkSync(file, path.join(bed.workspace, 'second'));
  const read = await createFiles(bed, createJournal(undefined)).readText('f');
  assert.ok(read.ok);
  return { file, read: read.data };
}

function splice(bed: Bed, journal: Journal, file: TextFile) {
  return createFiles(bed, journal).splice(file, [{ start: 0, end: 3, text: 'new' }]);
}

function createFiles(bed: Bed, journal: Journal, authorize?: Gate['authorize']) {
  return createLocalFiles({
    folders: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
    gate: {
      authorize: authorize ?? (async () => ({ ok: true, data: undefined })),
      realPath: () => undefined,
      filterBelow: () => undefined,
      authorizeAddress: async () => ({ ok: true, data: undefined }),
    },
    journal,
    signal: new AbortController().signal,
  });
}

function pretendDead(folder: string): void {
  const name = readdirSync(folder).find((each) => each.endsWith('.json'));
  assert.ok(name);
  const entry = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  writeFileSync(path.join(folder, name), JSON.stringify({ ...entry, mark: DEAD }));
}

function open(bed: Bed, authorize?: Gate['authorize']) {
  const touched: Touch[] = [];
  const allow: Gate['authorize'] = async (touch) => {
    touched.push(touch);
    return { ok: true, data: undefined };
  };
  const files = createFiles(bed, createJournal(undefined), authorize ?? allow);
  return { files, touched, file: path.join(bed.workspace, 'f') };
}
