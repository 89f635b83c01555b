import { chmodSync, rmSync } from 'node:fs';
import type { Database } from '../../file/database.ts';
import { isBusy } from '../../file/faults.ts';
import { DatabaseSync } from '../../file/sqlite.ts';
import { PURGE_SCHEMA } from './purge.ts';

/** The file of the search index. All of it can be made again from the history. */
export type IndexFile = Pick<Database, 'run' | 'get' | 'all' | 'close'> & {
  /** Runs one transaction. Throws an error that `isBusy` knows when another window writes. */
  transaction<Result>(work: () => Result): Result;
  /** Writes the write-ahead log into the file and empties it. False when another window keeps it. */
  emptyLog(): boolean;
};

/** Another version's index is made again. */
const VERSION = 3;

/** Full-text segments are merged 64 pages at a time: in small pages, that takes a few milliseconds. */
const PAGE_BYTES = 1_000;

const SCHEMA = `
  CREATE TABLE session (id TEXT PRIMARY KEY, stamp INTEGER NOT NULL);
  CREATE TABLE doc (
    id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    cwd TEXT NOT NULL,
    stamp TEXT NOT NULL
  );
  CREATE INDEX doc_message ON doc(message_id);
  CREATE INDEX doc_session ON doc(session_id);
  CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
  INSERT INTO words (words, rank) VALUES ('pgsz', ${PAGE_BYTES});
  ${PURGE_SCHEMA};
  PRAGMA user_version = ${VERSION};`;

/**
 * Opens the index with a rollback journal or a write-ahead log, as is safe for the history beside it. One
 * that is damaged or of another version is replaced by an empty one. Throws when there can't be one.
 */
export function openIndexFile(file: string, journal: string): IndexFile {
  try {
    return connect(file, journal);
  } catch (error) {
    if (isBusy(error)) throw error;
    removeIndexFile(file);
    return connect(file, journal);
  }
}

export function removeIndexFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}

function connect(file: string, journal: string): IndexFile {
  const sqlite = new DatabaseSync(file);
  try {
    if (process.platform !== 'win32') chmodSync(file, 0o600);
    // Nothing is lost that could not be made again, so nothing waits for the disk.
    sqlite.exec('PRAGMA busy_timeout = 20; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
    // With SQLite's own 1000 pages, the commit that writes the log back takes longer than a step.
    sqlite.exec('PRAGMA wal_autocheckpoint = 200');
    sqlite.prepare(`PRAGMA journal_mode = ${journal === 'wal' ? 'wal' : 'delete'}`).get();
    const version = () => sqlite.prepare('PRAGMA user_version').get()?.['user_version'];
    const transaction = <Result>(work: () => Result): Result => {
      sqlite.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        sqlite.exec('COMMIT');
        return result;
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
        throw error;
      }
    };
    // Read again inside the transaction: another window may create it at the same time.
    if (version() === 0) transaction(() => version() === 0 && sqlite.exec(SCHEMA));
    if (version() !== VERSION) throw new Error('The index is of another version.');
    const statements = new Map<string, ReturnType<typeof sqlite.prepare>>();
    const prepare = (sql: string) => {
      const statement = statements.get(sql) ?? sqlite.prepare(sql);
      statements.set(sql, statement);
      return statement;
    };
    return {
      run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
      get: (sql, ...values) => prepare(sql).get(...values),
      all: (sql, ...values) => prepare(sql).all(...values),
      transaction,
      emptyLog: () => sqlite.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0,
      close: () => sqlite.close(),
    };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}
