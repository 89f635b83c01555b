import assert from 'node:assert/strict';
import type { Stats } from 'node:fs';
import { test } from 'node:test';
import {
  createNameFinder,
  isOddName,
  type NameDisk,
  toStoredName,
} from '../../../../src/base/disk/folderCase.ts';

const [EXT, VFAT, FUSE] = [0xef53, 0x4d44, 0x65735546];

interface Folder {
  readonly type: number;
  /** The inode by listed name. */
  readonly listed: Readonly<Record<string, number>>;
  /** Names that are opened, but not listed. */
  readonly opened?: Readonly<Record<string, number>>;
  readonly folds?: boolean;
}

/** One folder, `/f`, and a count of what was read. */
function plant(start: Folder) {
  const state = { folder: start, time: 0, reads: 0 };
  const lookUp = (name: string) => {
    const { listed, opened, folds } = state.folder;
    const found = listed[name] ?? opened?.[name];
    if (found !== undefined || folds !== true) return found;
    return Object.entries(listed).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  };
  const read = <Value>(value: Value) => {
    state.reads += 1;
    return value;
  };
  const disk: NameDisk = {
    lstat: (path) => {
      const ino = lookUp(path.slice('/f/'.length));
      return read(ino === undefined ? undefined : ({ dev: 7, ino } as Stats));
    },
    type: () => read(state.folder.type),
    some: () => read(Object.keys(state.folder.listed)),
    all: () => read(Object.keys(state.folder.listed)),
    now: () => state.time,
  };
  const finder = createNameFinder(disk);
  const id = { dev: 7, ino: 1 };
  return {
    state,
    readCase: () => finder.readCase('/f', id),
    find: (name: string) => {
      const ino = lookUp(name);
      assert.ok(ino !== undefined, name);
      const kind = finder.readCase('/f', id, name, { dev: 7, ino });
      const isSame = kind === 'distinct' || (kind === 'odd' && !isOddName(name));
      return isSame ? name : finder.findListed('/f', name, { dev: 7, ino });
    },
  };
}

test('a folder that tells names by case is asked once', () => {
  const { find, readCase, state } = plant({ type: EXT, listed: { '.env': 2, a: 3, B: 4 } });
  assert.equal(find('.env'), '.env');
  const { reads } = state;
  assert.equal(reads, 2, 'the type of the device, and the other case of the name');
  assert.deepEqual([find('a'), find('B'), readCase()], ['a', 'B', 'distinct']);
  assert.equal(state.reads, reads);
});

test('a folder of ext4 that ignores case lists the name', () => {
  const { find, readCase } = plant({ type: EXT, listed: { '.env': 2, 'A.ts': 3 }, folds: true });
  assert.deepEqual([find('.ENV'), find('a.TS'), find('.env')], ['.env', 'A.ts', '.env']);
  assert.equal(readCase(), 'folds');
});

test('on FAT a name is compared with those listed, whatever its letters', () => {
  const opened = { 'ENV~1': 2, '.env.': 2, '1234': 5 };
  const { find, readCase } = plant({ type: VFAT, listed: { '.env': 2, '12345': 5 }, opened });
  assert.equal(readCase(), 'folds', 'without a look at its names');
  assert.deepEqual([find('ENV~1'), find('.env.'), find('1234')], ['.env', '.env', '12345']);
});

test('elsewhere only names of an odd form are compared', () => {
  const opened = { 'ENV~1': 2, '.env::$DATA': 2, 'cafe\u0301': 3, 'gone~1': 9 };
  const listed = { '.env': 2, 'caf\u00e9': 3, 'a~1': 4 };
  const { find, readCase } = plant({ type: FUSE, listed, opened });
  assert.equal(readCase(), 'odd');
  assert.deepEqual([find('ENV~1'), find('.env::$DATA')], ['.env', '.env']);
  assert.deepEqual([find('cafe\u0301'), find('a~1')], ['caf\u00e9', 'a~1']);
  assert.equal(find('gone~1'), undefined, 'what is listed by no name can not be told');
});

test('two files whose names differ in case are two', () => {
  const { find, readCase } = plant({ type: EXT, listed: { '.env': 2, '.ENV': 3 } });
  assert.deepEqual([find('.env'), find('.ENV'), readCase()], ['.env', '.ENV', 'distinct']);
});

test('a name that something is mounted over does not make the folder tell names by case', () => {
  // `/f/modules` is another device's, `/f/MODULES` what lies below it.
  const listed = { modules: 20, '.env': 2 };
  const { find, readCase } = plant({ type: FUSE, listed, opened: { MODULES: 3 }, folds: true });
  assert.equal(find('modules'), 'modules');
  assert.deepEqual([readCase(), find('.ENV')], ['folds', '.env']);
});

test('files that are numbered anew for each spelling can not be told', () => {
  const opened = { '.ENV': 90, A: 91 };
  const { find, readCase } = plant({ type: FUSE, listed: { '.env': 2, a: 3 }, opened });
  assert.deepEqual([find('a'), readCase(), find('.ENV')], ['a', 'folds', undefined]);
});

test('two names of one file that are both listed are two', () => {
  const { find } = plant({ type: EXT, listed: { '.env': 2, '.ENV': 2 } });
  assert.deepEqual([find('.env'), find('.ENV')], ['.env', '.ENV']);
});

test('a folder without letters in its names is asked again', () => {
  const { readCase, state } = plant({ type: EXT, listed: { '1': 2 } });
  assert.equal(readCase(), 'distinct');
  state.folder = { type: EXT, listed: { '1': 2, a: 3 }, folds: true };
  assert.equal(readCase(), 'folds');
});

test('another device of the same number is noticed after ten seconds', () => {
  const { readCase, state } = plant({ type: EXT, listed: { a: 2 } });
  assert.equal(readCase(), 'distinct');
  state.folder = { type: VFAT, listed: { a: 2 } };
  state.time = 10_001;
  assert.equal(readCase(), 'folds');
});

test('a new file gets a name without what Windows leaves out', () => {
  const names = ['.env', '.env.', '.env. .', '.env::$DATA', '.env:x', '..', '.', 'a.b', ':'];
  const stored = ['.env', '.env', '.env', '.env', '.env', '..', '.', 'a.b', ':'];
  assert.deepEqual(names.map(toStoredName), stored);
});
