import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { getMessage } from '../base/faults.ts';
import { MB } from '../base/units.ts';
import { isNetworkFolder } from './networkFolder.ts';
import { MIGRATIONS } from './schema.ts';

/** The only access to SQLite. Synchronous: it runs in the host process, never in the editor's. */
export interface Database {
  /** Notices for the user: a damaged file was moved away, a journal mode was refused. */
  readonly notices: readonly string[];
  readonly journal: string;
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  get(sql: string, ...values: readonly SQLInputValue[]): SqlRow | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): SqlRow[];
  /**
   * Runs one short write transaction, waiting for other windows. A nested call joins the outer
   * transaction.
   */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

export interface DatabaseOptions {
  /** Milliseconds to wait for another window's write. Default: 5000 (spec CS-90). */
  readonly busyTimeoutMs?: number;
  /** Uses a rollback journal even where a write-ahead log would be safe. */
  readonly rollbackJournal?: boolean;
}

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/**
 * Opens the database and migrates its schema. Creates a missing file and its folder with mode 0600
 * and 0700. A damaged file is renamed and replaced by a new one. When the file cannot be used at
 * all, throws an error with a message for the user and changes nothing.
 */
export function openDatabase(
  file: string,
  now: () => number,
  options: DatabaseOptions = {},
): Database {
  const notices: string[] = [];
  createPrivately(file);
  try {
    return connect(file, notices, options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    notices.push(setAside(file, now()));
  }
  createPrivately(file);
  return connect(file, notices, options);
}

function connect(file: string, notices: string[], options: DatabaseOptions): Database {
  const { busyTimeoutMs = 5000 } = options;
  const sqlite = openFile(file);
  try {
    sqlite.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA foreign_keys = ON;`);
    checkDamage(sqlite, file);
    const journal = setJournal(sqlite, file, notices, options.rollbackJournal ?? false);
    migrate(sqlite, file);
    return toDatabase(sqlite, journal, notices);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function openFile(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch (error) {
    if (isDamage(error)) throw error;
    throw toOpenError(file, error);
  }
}

function toOpenError(file: string, error: unknown): Error {
  const detail = getMessage(error);
  return new Error(
    `The history ${file} cannot be opened: ${detail}. Check that the folder exists and its permissions.`,
  );
}

/** Checking a larger file would delay startup; damage is then detected when it is read. */
const CHECK_LIMIT = 64 * MB;

class DamageError extends Error {}

function checkDamage(sqlite: DatabaseSync, file: string): void {
  if (statSync(file).size > CHECK_LIMIT) {
    sqlite.prepare('SELECT count(*) FROM sqlite_master').get();
    return;
  }
  const found = askOne(sqlite, 'PRAGMA quick_check(1)');
  if (found !== 'ok') throw new DamageError(String(found));
}

/** Matches SQLITE_CORRUPT and SQLITE_NOTADB, including extended codes. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true;
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const code = typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
  return code === 11 || code === 26;
}

/** Never deletes the file: its data may still be recoverable (`sqlite3 FILE .recover`). */
function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, '-');
  const target = `${file}.damaged-${stamp}`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return `The history was damaged. It was renamed to ${target}, and a new one was created.`;
}

function createPrivately(file: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600, flag: 'a' });
    else if (process.platform !== 'win32') chmodSync(file, 0o600);
  } catch (error) {
    throw toOpenError(file, error);
  }
}

/** Older versions can corrupt a database with a write-ahead log. */
const WAL_FLOOR = [3, 51, 3] as const;

/**
 * Sets the pragmas (spec CS-90). Uses a rollback journal and full syncs where a write-ahead log is
 * unsafe.
 */
function setJournal(
  sqlite: DatabaseSync,
  file: string,
  notices: string[],
  rollback: boolean,
): string {
  const wanted =
    !rollback && canUseWal(String(askOne(sqlite, 'SELECT sqlite_version()')), file)
      ? 'wal'
      : 'delete';
  const journal = String(askOne(sqlite, `PRAGMA journal_mode = ${wanted}`));
  if (wanted === 'delete' && journal === 'wal') {
    notices.push(
      'Another window uses a journal mode that is not safe with this version of SQLite. Close the other windows, then reload this one.',
    );
  }
  sqlite.exec(`PRAGMA synchronous = ${journal === 'wal' ? 'NORMAL' : 'FULL'}`);
  return journal;
}

/** Whether a write-ahead log is safe with this SQLite version and this file system. */
export function canUseWal(version: string, file: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, floor] of WAL_FLOOR.entries()) {
    const part = parts[index] ?? 0;
    if (part !== floor) return part > floor && !isNetworkFolder(path.dirname(file));
  }
  return !isNetworkFolder(path.dirname(file));
}

/** The first column of the first row. */
function askOne(sqlite: DatabaseSync, sql: string): SQLOutputValue | undefined {
  return Object.values(sqlite.prepare(sql).get() ?? {})[0];
}

function migrate(sqlite: DatabaseSync, file: string): void {
  const version = () => Number(askOne(sqlite, 'PRAGMA user_version'));
  if (version() > MIGRATIONS.length) {
    throw new Error(
      `The history ${file} was written by a newer Gatehouse (schema ${version()}). Update Gatehouse; nothing was changed.`,
    );
  }
  while (version() < MIGRATIONS.length) {
    sqlite.exec('BEGIN IMMEDIATE');
    // Read again inside the transaction: another window may have migrated first.
    const next = version();
    const script = MIGRATIONS[next];
    try {
      if (script !== undefined) sqlite.exec(`${script}; PRAGMA user_version = ${next + 1}`);
      sqlite.exec('COMMIT');
    } catch (error) {
      sqlite.exec('ROLLBACK');
      throw error;
    }
  }
}

function toDatabase(sqlite: DatabaseSync, journal: string, notices: readonly string[]): Database {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    notices,
    journal,
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    get: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    transaction: (work) => {
      if (sqlite.isTransaction) return work();
      // IMMEDIATE, because a transaction that starts with a read cannot wait for another writer
      // later.
      prepare('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        prepare('COMMIT').run();
        return result;
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => sqlite.close(),
  };
}

/** How long to wait for another process, in milliseconds. The work under the lock takes a few. */
const LOCK_WAIT_MS = 10_000;

/**
 * Runs `work` while no other process holds the lock of this file. SQLite locks it by means of the system,
 * so the lock of a process that was killed is released at once. Throws if the lock can't be had in `wait`
 * milliseconds.
 */
export function withFileLock<T>(file: string, work: () => T, wait = LOCK_WAIT_MS): T {
  const lock = new DatabaseSync(file, { timeout: wait });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    // Closing ends the transaction, also when it was never begun.
    lock.close();
  }
}

/** Opens a file that is no history: without a schema, a check or a message for the user. */
export function openSqlite(file: string): DatabaseSync {
  return new DatabaseSync(file);
}
