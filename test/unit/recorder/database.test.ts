import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { canUseWal } from '../../../src/recorder/file/connect.ts';
import { type Database, openDatabase } from '../../../src/recorder/file/database.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

test('CS-90: a new file has the pragmas, and no one else can read it', (context) => {
  const mask = process.umask(0o022);
  context.after(() => process.umask(mask));
  const { database, file } = create(context);
  const pragma = (name: string) => Object.values(database.get(`PRAGMA ${name}`) ?? {})[0];
  const isWal = database.journal === 'wal';
  assert.equal(isWal, canUseWal(sqliteVersion(database), file));
  assert.deepEqual(
    [pragma('journal_mode'), pragma('synchronous'), pragma('busy_timeout'), pragma('foreign_keys')],
    [isWal ? 'wal' : 'delete', isWal ? 1 : 2, 5000, 1],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
});

test('a file readable by others is made private again', (context) => {
  const { database, file } = create(context);
  database.close();
  chmodSync(file, 0o644);
  openDatabase(file, () => NOW).close();
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

checkWal('3.51.2', false);
checkWal('3.51.3', true);
checkWal('3.52.0', true);
checkWal('3.46.1', false);
checkWal('4.0.0', true);

function checkWal(version: string, expected: boolean) {
  test(`SQLite ${version} ${expected ? 'may' : 'must not'} use a write-ahead log`, () => {
    assert.equal(canUseWal(version, path.join(tmpdir(), 'x.db')), expected);
  });
}

test('the tables and indexes are those of the specification', (context) => {
  const { database } = create(context);
  const columns = (table: string) =>
    database.all(`PRAGMA table_info(${table})`).map(({ name }) => name);
  assert.deepEqual(columns('chat_sessions'), [
    ...['id', 'agent', 'workspace_root', 'model_json', 'parent_id', 'parent_message_id'],
    ...['permissions_json', 'metadata_json', 'prompt_tokens', 'completion_tokens'],
    ...['reasoning_tokens', 'cache_read', 'cache_write', 'total_tokens', 'cost_usd'],
    ...['created_at', 'updated_at', 'archived_at'],
  ]);
  assert.deepEqual(columns('chat_messages'), [
    ...['id', 'session_id', 'role', 'metadata_json', 'created_at', 'updated_at'],
  ]);
  assert.deepEqual(columns('chat_parts'), [
    ...['id', 'message_id', 'session_id', 'index', 'type', 'data_json', 'tool_call_id'],
    ...['tool_state', 'created_at', 'updated_at'],
  ]);
  const indexed = ['chat_sessions', 'chat_messages', 'chat_parts'].flatMap((table) =>
    database
      .all(`PRAGMA index_list(${table})`)
      .filter(({ origin }) => origin === 'c')
      .map(({ name }) =>
        database
          .all(`PRAGMA index_info(${name})`)
          .map(({ name: column }) => column)
          .join(','),
      )
      .sort(),
  );
  assert.deepEqual(indexed, [
    ...['agent,updated_at', 'archived_at', 'parent_id', 'workspace_root,updated_at'],
    // The first is ours: pages are read in the order of writing.
    ...['session_id', 'session_id,created_at'],
    // Two of these are ours: the few parts that a session may have to close when it is opened.
    ...['message_id,index', 'session_id', 'session_id', 'session_id', 'tool_call_id'],
  ]);
});

test('deleting a session deletes its messages and parts', (context) => {
  const { database } = create(context);
  database.run(
    "INSERT INTO chat_sessions (id, agent, created_at, updated_at) VALUES ('s', 'a', 0, 0)",
  );
  database.run(
    "INSERT INTO chat_messages (id, session_id, role, created_at, updated_at) VALUES ('m', 's', 'user', 0, 0)",
  );
  database.run(`INSERT INTO chat_parts VALUES ('p', 'm', 's', 0, 'text', '{}', NULL, NULL, 0, 0)`);
  database.run("DELETE FROM chat_sessions WHERE id = 's'");
  assert.deepEqual(database.all('SELECT id FROM chat_parts'), []);
});

test('a failed transaction leaves nothing behind', (context) => {
  const { database } = create(context);
  assert.throws(() =>
    database.transaction(() => {
      database.run(
        "INSERT INTO chat_sessions (id, agent, created_at, updated_at) VALUES ('s', 'a', 0, 0)",
      );
      throw new Error('stop');
    }),
  );
  assert.deepEqual(database.all('SELECT id FROM chat_sessions'), []);
});

test('a file from a newer version is not changed, and the user is told', (context) => {
  const { database, file } = create(context);
  database.run('PRAGMA user_version = 99');
  database.close();
  assert.throws(() => openDatabase(file, () => NOW), /newer Gatehouse \(schema 99\)\. Update/);
  assert.deepEqual(
    readdirSync(path.dirname(file)).filter((name) => name.includes('damaged')),
    [],
  );
});

test('an error for a folder without write permission names the file', (context) => {
  const { file } = create(context);
  const blocked = path.join(file, 'below-a-file', 'x.db');
  assert.throws(
    () => openDatabase(blocked, () => NOW),
    /gatehouse\.db.*cannot be opened.*Check that the folder/,
  );
});

function sqliteVersion(database: Database): string {
  return String(database.get('SELECT sqlite_version() AS version')?.['version']);
}

function create(context: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-database-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'state', 'gatehouse.db');
  const database = openDatabase(file, () => NOW);
  context.after(() => {
    try {
      database.close();
    } catch {
      // The test closed it already.
    }
  });
  return { database, file };
}
