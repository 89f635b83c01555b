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

/** The only door to SQLite. Synchronous: it lives in the host process, never in the editor's. */
export interface Database {
  /** What the user should know: a file set aside, a journal mode that was refused. */
  readonly notices: readonly string[];
  readonly journal: string;
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  get(sql: string, ...values: readonly SQLInputValue[]): SqlRow | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): SqlRow[];
  /** One short write transaction; it waits for another window's. Inside another one it is part of that. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

export interface DatabaseOptions {
  /** Milliseconds to wait for another window's write; 5000 unless said (spec CS-90). */
  readonly busyTimeoutMs?: number;
  /** Keeps a rollback journal even where a write-ahead log would be safe. */
  readonly rollbackJournal?: boolean;
}

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/**
 * Opens the file, making it and its folder when they are missing (0700 and 0600), and brings its schema
 * up to date. A damaged file is set aside under another name and a new one is begun. Throws, with a
 * sentence for the user, when the file cannot be used at all; nothing is changed then.
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
    `The history ${file} cannot be opened: ${detail}. Check the folder and its rights.`,
  );
}

/** Above this size a full check would hold up the start; damage is then met when it is read. */
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

/** SQLITE_CORRUPT and SQLITE_NOTADB, extended codes included. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true;
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const code = typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
  return code === 11 || code === 26;
}

/** Never deleted: what is in it may still be read by hand (`sqlite3 FILE .recover`). */
function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, '-');
  const target = `${file}.damaged-${stamp}`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return `The history was damaged. It was set aside as ${target}, and a new one was begun.`;
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

/** Below this version a write-ahead log can damage the file. */
const WAL_FLOOR = [3, 51, 3] as const;

/** The pragmas (spec CS-90), with a rollback journal and full syncs wherever a write-ahead log is not safe. */
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
      'Another window keeps the history in a journal mode that this SQLite is too old for. Close the other windows and start this one again.',
    );
  }
  sqlite.exec(`PRAGMA synchronous = ${journal === 'wal' ? 'NORMAL' : 'FULL'}`);
  return journal;
}

/** Whether a write-ahead log is safe with this SQLite version and on this folder's file system. */
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
    // Asked again inside the transaction: another window may have been faster.
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
      // IMMEDIATE: a transaction that begins by reading cannot wait for another writer later.
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
