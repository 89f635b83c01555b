import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { writeAtomically } from '../../../../src/runtime/files/atomicWrite.ts';
import { createJournal, recoverJournal } from '../../../../src/runtime/files/journal.ts';
import type { LeftFile } from '../../../../src/runtime/files/restore.ts';
import { DEAD } from '../../base/disk/deadMark.ts';
import { type Bed, openBed } from '../../tools/bed.ts';

const BEFORE = 'one two three\n';
const AFTER = 'ONE TWO THREE four\n';

// What an interrupted write can leave, and what it is after the recovery.
check('nothing was written', BEFORE, BEFORE);
check('only the part that grows was written', `${BEFORE}four\n`, BEFORE);
check('a part of it was written', 'ONE TWo three\nfou', BEFORE);
check('everything was written', AFTER, AFTER);
// What only somebody else can have written.
check('one byte is of neither', 'ONE TWo_three\n', undefined);
check('text of the user', 'mine\n', undefined);
check('the user emptied it', '', undefined);
check('the user appended to it', `${AFTER}and more\n`, undefined);
check('the user deleted it', null, undefined);

function check(name: string, found: string | null, expected: string | undefined) {
  const what = expected === undefined ? 'it stays, and the old content is kept' : 'it is whole';
  test(`after an interrupted write, ${name}: ${what}`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'f');
    const state = path.join(bed.data, 'state');
    writeFileSync(file, BEFORE);
    await createJournal(state).keepCopy(file, Buffer.from(BEFORE), Buffer.from(AFTER));
    if (found === null) rmSync(file);
    else writeFileSync(file, found);
    killOwner(state);

    const { recovered, kept } = await recover(state);

    assert.deepEqual(readdirSync(path.join(state, 'journal')), []);
    const content = existsSync(file) ? readFileSync(file, 'utf8') : null;
    assert.equal(content, expected ?? found);
    assert.deepEqual(recovered, expected === undefined ? [] : [file]);
    assert.deepEqual(
      kept.map((each) => [each.file, readFileSync(each.copy, 'utf8')]),
      expected === undefined ? [[file, BEFORE]] : [],
    );
    assert.deepEqual(await recover(state), { recovered: [], kept: [] });
    for (const { copy } of kept) assert.ok(existsSync(copy), 'no later start removes it');
  });
}

test('the entry of an earlier version, which kept no new content, restores nothing over other text', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  const state = path.join(bed.data, 'state');
  await createJournal(state).keepCopy(file, Buffer.from(BEFORE), Buffer.from(AFTER));
  writeFileSync(file, 'mine\n');
  killOwner(state, { after: undefined });
  const { kept } = await recover(state);
  assert.equal(readFileSync(file, 'utf8'), 'mine\n');
  assert.equal(kept.length, 1);
});

test('empty folders of a file that was never born go, with its temporary file', async () => {
  using bed = openBed();
  const { inner, state } = leaveFolders(bed);
  const temporary = path.join(inner, '.f.tmp');
  assert.ok(createJournal(state).noteTemporary(temporary).ok);
  writeFileSync(temporary, 'half');
  killOwner(state);
  await recover(state);
  assert.deepEqual(readdirSync(bed.workspace), []);
  assert.deepEqual(readdirSync(path.join(state, 'journal')), []);
});

test('folders stay that hold anything, and those above them', async () => {
  using bed = openBed();
  const { inner, state } = leaveFolders(bed);
  writeFileSync(path.join(inner, '../mine'), '');
  killOwner(state);
  assert.deepEqual(await recover(state), { recovered: [], kept: [] });
  assert.deepEqual(readdirSync(path.join(bed.workspace, 'outer')), ['mine']);
});

test('folders are noted before they are made, and no note is left after the write', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  const journal = createJournal(state);
  const noted: (readonly string[])[] = [];
  const file = path.join(bed.workspace, 'outer/inner/f');
  const written = await writeAtomically({
    ...{ file, parts: [Buffer.from('x')], stamp: undefined, before: undefined },
    journal: {
      ...journal,
      noteFolders(name, folders) {
        assert.deepEqual(readdirSync(bed.workspace), []);
        noted.push(folders);
        return journal.noteFolders(name, folders);
      },
    },
    mayWriteAllNames: async () => true,
  });
  assert.ok(written.ok);
  assert.deepEqual(noted, [[path.dirname(file), path.join(bed.workspace, 'outer')]]);
  assert.deepEqual(readdirSync(path.join(state, 'journal')), []);
});

function leaveFolders(bed: Bed) {
  const inner = path.join(bed.workspace, 'outer/inner');
  const state = path.join(bed.data, 'state');
  const folders = [inner, path.dirname(inner)];
  assert.ok(createJournal(state).noteFolders(path.join(inner, 'f'), folders).ok);
  mkdirSync(inner, { recursive: true });
  return { inner, state };
}

for (const [what, replace] of [
  ['a pipe', (file: string) => spawnSync('mkfifo', [file])],
  ['a folder', (file: string) => mkdirSync(file)],
  ['a link to itself', (file: string) => symlinkSync(file, file)],
  ['below a file', (file: string) => replaceFolder(path.dirname(file))],
] as const) {
  test(`after an interrupted write, the name is ${what}: the old content is kept, and said`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'in/f');
    const state = path.join(bed.data, 'state');
    mkdirSync(path.dirname(file));
    writeFileSync(file, BEFORE);
    await createJournal(state).keepCopy(file, Buffer.from(BEFORE), Buffer.from(AFTER));
    rmSync(file);
    replace(file);
    killOwner(state);
    const { recovered, kept } = await recover(state);
    assert.deepEqual(recovered, []);
    assert.deepEqual(
      kept.map((each) => [each.file, readFileSync(each.copy, 'utf8')]),
      [[file, BEFORE]],
    );
    assert.deepEqual((await recover(state)).kept, [], 'it is said once');
  });
}

function replaceFolder(folder: string): void {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
}

test('a write of another container is left alone until none takes that long', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  const file = path.join(bed.workspace, '.f.new');
  writeFileSync(file, 'half');
  assert.ok(createJournal(state).noteTemporary(file).ok);
  const container = DEAD.split('.').with(2, '1').join('.');
  killOwner(state, { mark: container });
  assert.deepEqual((await recover(state)).recovered, []);
  assert.equal(existsSync(file), true);
  killOwner(state, { mark: container, at: Date.now() - 700_000 });
  assert.deepEqual((await recover(state)).recovered, [file]);
  assert.equal(existsSync(file), false);
});

async function recover(state: string) {
  const kept: LeftFile[] = [];
  const recovered = await recoverJournal(state, (each) => kept.push(each));
  return { recovered, kept };
}

/** Gives every entry to a process that cannot exist: see its mark. */
function killOwner(state: string, fields: object = {}): void {
  const folder = path.join(state, 'journal');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const file = path.join(folder, name);
    const entry = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...entry, mark: DEAD, ...fields }));
  }
}
