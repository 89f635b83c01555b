import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreviewedTable } from '../../../src/recorder/changes.ts';
import { entryTable, isKept, type StoredEntryChange } from '../../../src/recorder/entries.ts';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import { open } from './openRecorder.ts';

function removal(path: string, bytes: number): StoredEntryChange {
  const content = Buffer.alloc(bytes, path);
  return {
    path,
    before: { type: 'file', mode: 0o644, hash: path, content },
    after: { type: 'none' },
  };
}

test('contents are kept up to a limit for each call and each session, and the oldest make room', (context) => {
  const { recorder, clock, file } = open(context);
  const id = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const other = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const database = openDatabase(file, () => 0);
  context.after(() => database.close());
  const table = entryTable(database, clock, { call: 10, session: 25 });
  /** The paths of a call's changes, with the length of what is kept of each. */
  const kept = (call: string, session = id) =>
    table
      .entryChanges(session, call)
      .map(({ path, before }) => [path, before.type === 'file' ? before.content?.length : 'other']);

  table.addEntryChange(other, 'c1', removal('mine', 10));
  for (const path of ['a', 'b', 'c']) table.addEntryChange(id, 'c1', removal(path, 5));
  const first = [
    ['a', 5],
    ['b', 5],
    ['c', undefined],
  ];
  assert.deepEqual(kept('c1'), first);
  table.addEntryChange(id, 'c2', removal('d', 10));
  table.addEntryChange(id, 'c3', removal('e', 11));
  assert.deepEqual([kept('c1'), kept('c2'), kept('c3')], [first, [['d', 10]], [['e', undefined]]]);
  table.addEntryChange(id, 'c4', removal('f', 6));
  assert.deepEqual(kept('c1'), [
    ['a', undefined],
    ['b', 5],
    ['c', undefined],
  ]);
  const held = table.entryChanges(id, 'c1')[1]?.before;
  table.addEntryChange(id, 'c5', removal('g', 5));
  assert.deepEqual([kept('c2'), kept('c4'), kept('c5')], [[['d', 10]], [['f', 6]], [['g', 5]]]);
  assert.ok(
    held?.type === 'file' && held.content === undefined,
    'contents are read when they are used',
  );
  assert.deepEqual(kept('c1', other), [['mine', 10]]);
  assert.deepEqual(table.contentRoom(id, 'c5'), { call: 5, session: 4, unreviewed: 20 });
  assert.deepEqual(table.contentRoom(other, 'new'), { call: 10, session: 15, unreviewed: 25 });
});

test('contents of changes that the user has reviewed make room first, and none of the call itself does', (context) => {
  const { recorder, clock, file } = open(context);
  const id = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const database = openDatabase(file, () => 0);
  context.after(() => database.close());
  const table = entryTable(database, clock, { call: 10, session: 25 });
  const unreviewed = unreviewedTable(database, clock);
  const kept = () =>
    ['c1', 'c2', 'c3', 'c4', 'c5'].map((call) => table.entryChanges(id, call).map(isKept));

  const { id: waiting } = table.addEntryChange(id, 'c1', removal('a', 10), 'unreviewed');
  table.addEntryChange(id, 'c2', removal('b', 10));
  assert.deepEqual(table.contentRoom(id, 'c3'), { call: 10, session: 5, unreviewed: 15 });
  table.addEntryChange(id, 'c3', removal('c', 10));
  assert.deepEqual(kept(), [[true], [false], [true], [], []]);
  const { droppedUnreviewed } = table.addEntryChange(id, 'c4', removal('d', 10), 'unreviewed');
  assert.equal(droppedUnreviewed, false);
  assert.deepEqual(kept(), [[true], [false], [false], [true], []]);
  const stamp = unreviewed.unreviewedStamp(id);
  assert.equal(table.addEntryChange(id, 'c5', removal('e', 10)).droppedUnreviewed, true);
  assert.deepEqual(kept(), [[false], [false], [false], [true], [true]]);
  assert.notEqual(unreviewed.unreviewedStamp(id), stamp, 'other windows notice it');
  assert.deepEqual(
    table.unreviewedEntries(id).map((each) => [each.id === waiting, isKept(each)]),
    [
      [true, false],
      [false, true],
    ],
  );
  table.addEntryChange(id, 'und_1', removal('f', 6), 'undo');
  assert.deepEqual(table.entryChanges(id, 'und_1').map(isKept), [false]);
  assert.deepEqual(kept().at(-1), [true], 'what is being undone is kept');
});
