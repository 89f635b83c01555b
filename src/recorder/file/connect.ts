import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { getMessage } from '../../base/faults.ts';
import { MB } from '../../base/units.ts';
import { DamageError, isDamage } from './faults.ts';
import { withFileLock } from './fileLock.ts';
import { isNetworkFolder } from './networkFolder.ts';
import { identify, setAside, toLockFile } from './parts.ts';
import { DatabaseSync, type SQLOutputValue } from './sqlite.ts';

export interface ConnectOptions {
  /** One script per schema version, in order. */
  readonly migrations: readonly string[];
  /** Milliseconds for which SQLite waits for another process. */
  readonly busyTimeoutMs: number;
  /** Uses a rollback journal even where a write-ahead log would be safe. */
  readonly rollbackJournal: boolean;
  /** For the name of what is set aside. */
  now(): number;
  /** Called with what the user has to know. */
  notice(text: string): void;
}

export interface Connection {
  readonly sqlite: DatabaseSync;
  readonly journal: string;
  /** Of the file that is open, which another one may replace. */
  readonly identity: string;
}

/**
 * Opens a database and migrates its schema. Creates a missing file and its folder with mode 0600 and 0700;
 * an empty file is replaced, and the user told. Throws an error that `isDamage` knows for a damaged file;
 * for one that cannot be used, an error with a message for the user. Neither changes the file.
 */
export function connect(file: string, options: ConnectOptions): Connection {
  createPrivately(file, options);
  for (;;) {
    const before = identify(file);
    const sqlite = openFile(file);
    try {
      // Another host may have replaced it in between.
      if (before !== undefined && identify(file) === before) {
        // FAST overwrites what a write leaves behind in its own pages, which a later deletion would not find.
        sqlite.exec(
          `PRAGMA busy_timeout = ${options.busyTimeoutMs}; PRAGMA foreign_keys = ON; PRAGMA secure_delete = FAST;`,
        );
        checkDamage(sqlite, file);
        const journal = setJournal(sqlite, file, options);
        migrate(sqlite, file, options.migrations);
        return { sqlite, journal, identity: before };
      }
    } catch (error) {
      sqlite.close();
      throw error;
    }
    sqlite.close();
    createPrivately(file, options);
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

/** Checking a larger file would delay the start; a worker does it later. */
export const CHECKED_AT_ONCE = 8 * MB;

function checkDamage(sqlite: DatabaseSync, file: string): void {
  if (statSync(file).size > CHECKED_AT_ONCE) {
    sqlite.prepare('SELECT count(*) FROM sqlite_master').get();
    return;
  }
  const found = askOne(sqlite, 'PRAGMA quick_check(1)');
  if (found !== 'ok') throw new DamageError(String(found));
}

function createPrivately(file: string, options: ConnectOptions): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if (!hasContent(file)) withFileLock(toLockFile(file), () => createFile(file, options));
    if (process.platform !== 'win32') chmodSync(file, 0o600);
  } catch (error) {
    throw toOpenError(file, error);
  }
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Nobody ever sees a file of ours that is empty, so an empty one has lost what it held. */
function createFile(file: string, { migrations, now, notice }: ConnectOptions): void {
  // Another host was faster.
  if (hasContent(file)) return;
  if (existsSync(file)) notice(toEmptyNotice(file, setAside(file, now())));
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  const sqlite = new DatabaseSync(fresh);
  try {
    if (process.platform !== 'win32') chmodSync(fresh, 0o600);
    migrate(sqlite, fresh, migrations);
  } finally {
    sqlite.close();
  }
  renameSync(fresh, file);
}

function toEmptyNotice(file: string, aside: string): string {
  return `The history ${file} was empty (0 bytes), as after a full disk or a copy that broke off. A new one was begun, without earlier sessions. What was there is kept as ${aside}. If you have a backup, close all windows and replace the new file with it.`;
}

/** Older versions can corrupt a database with a write-ahead log. */
const WAL_FLOOR = [3, 51, 3] as const;

/**
 * Sets the pragmas (spec CS-90). Uses a rollback journal and full syncs where a write-ahead log is
 * unsafe.
 */
function setJournal(sqlite: DatabaseSync, file: string, options: ConnectOptions): string {
  const wanted =
    !options.rollbackJournal && canUseWal(String(askOne(sqlite, 'SELECT sqlite_version()')), file)
      ? 'wal'
      : 'delete';
  const journal = String(askOne(sqlite, `PRAGMA journal_mode = ${wanted}`));
  if (wanted === 'delete' && journal === 'wal') {
    options.notice(
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

/** Throws, with a message for the user, when a newer version wrote the file. */
export function migrate(sqlite: DatabaseSync, file: string, migrations: readonly string[]): void {
  const version = () => Number(askOne(sqlite, 'PRAGMA user_version'));
  if (version() > migrations.length) {
    throw new Error(
      `The history ${file} was written by a newer Gatehouse (schema ${version()}). Update Gatehouse; nothing was changed.`,
    );
  }
  while (version() < migrations.length) {
    sqlite.exec('BEGIN IMMEDIATE');
    // Read again inside the transaction: another window may have migrated first.
    const next = version();
    const script = migrations[next];
    try {
      if (script !== undefined) sqlite.exec(`${script}; PRAGMA user_version = ${next + 1}`);
      sqlite.exec('COMMIT');
    } catch (error) {
      sqlite.exec('ROLLBACK');
      throw error;
    }
  }
}
