import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { explainFault } from '../../../src/recorder/file/faults.ts';
import { createSearchIndex } from '../../../src/recorder/library/search/searchIndex.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { open } from './openRecorder.ts';

test('DU-023 on a full disk a message is refused with the reason, and goes through when there is room', (t) => {
  const { recorder, second } = open(t);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const { database } = recorder.store;
  const say = (text: string) => recorder.addUserMessage(id, [{ type: 'text', text }]);
  say('before');
  // SQLite's own limit fails as a disk without room does, with SQLITE_FULL.
  const pages = Number(database.get('PRAGMA page_count')?.['page_count']);
  database.get(`PRAGMA max_page_count = ${pages}`);
  assert.throws(
    () => say('x'.repeat(200_000)),
    /^Error: The history .*gatehouse\.db cannot be written: the disk is full\. Free some space there, then try again\./,
  );
  assert.equal(recorder.messages(id).length, 1);
  database.get('PRAGMA max_page_count = 1000000');
  say('after');
  assert.deepEqual(
    second()
      .messages(id)
      .map(({ parts: [part] }) => part?.type === 'text' && part.text),
    ['before', 'after'],
  );
  assert.deepEqual(Object.values(database.get('PRAGMA integrity_check') ?? {}), ['ok']);
});

test('a history that is read-only, or whose disk fails, says so and what to do', (t) => {
  const { recorder } = open(t);
  const { database } = recorder.store;
  database.get('PRAGMA query_only = 1');
  const create = () => recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  assert.throws(create, /cannot be written: it or its folder is read-only\. Make both writable/);
  database.get('PRAGMA query_only = 0');
  create();
  // SQLITE_IOERR_SHMSIZE: where a full disk has no room for the shared memory, as at a start.
  const failed = Object.assign(new Error('disk I/O error'), { errcode: 4874 });
  assert.match(
    String(explainFault('/a/gatehouse.db', failed)),
    /The history \/a\/gatehouse\.db cannot be read or written: its disk is full, gone or broken\./,
  );
  const other = new Error('no such table');
  assert.equal(explainFault('/a/gatehouse.db', other), other);
});

test('a search whose index has no room or no folder says so and what to do', async (t) => {
  const { recorder, file: history } = open(t);
  const file = path.join(path.dirname(history), 'index', 'search.db');
  const search = async (store = recorder.store) => {
    const index = createSearchIndex(store, file, { clock: createManualClock() });
    const found = await index.search({ query: 'heron', limit: 5 });
    index.close();
    return found.ok ? found.data : found.error;
  };
  assert.match(
    String(await search()),
    /^The search index .*search\.db cannot be opened: its folder is missing .* The sessions are not affected\.$/,
  );
  mkdirSync(path.dirname(file));
  const { store } = recorder;
  const full = (): never => {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  };
  assert.match(
    String(await search({ ...store, database: { ...store.database, all: full } })),
    /^The search index .*search\.db cannot be written: the disk is full\. Free some space there/,
  );
  assert.deepEqual(await search(), { hits: [], indexing: false });
});
