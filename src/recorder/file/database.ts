import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import type { Event } from '../../base/event.ts';
import { BusyError, isBusy } from './faults.ts';
import { LiveFile } from './liveFile.ts';
import { MIGRATIONS } from './schema.ts';
import type { SQLInputValue, SQLOutputValue, StatementSync } from './sqlite.ts';

/** The only access to SQLite. Synchronous: it runs in the host process, never in the editor's. */
export interface Database {
  /** Notices for the user so far: the file was damaged or empty, a journal mode was refused. */
  readonly notices: readonly string[];
  readonly onNotice: Event<string>;
  /** Adds a notice. */
  tell(text: string): void;
  /** Fires after another file took the place of a damaged or removed one: rows that were stored may be missing. */
  readonly onDidReplace: Event<void>;
  readonly journal: string;
  /** A write waits for other processes as `transaction` does. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  get(sql: string, ...values: readonly SQLInputValue[]): SqlRow | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): SqlRow[];
  /**
   * Runs one short write transaction. A nested call joins the outer transaction. Throws a `BusyError`,
   * with nothing stored, when another process writes for longer than `WRITE_WAIT_MS`, and while the file
   * is repaired: `free` says when to try again.
   */
  transaction<Result>(work: () => Result): Result;
  /**
   * Writes the write-ahead log into the file and empties it, so that nothing deleted is left in it. Does
   * nothing inside a transaction, and while another process reads for longer than `WRITE_WAIT_MS`.
   */
  emptyLog(): void;
  /**
   * Resolves when a write can begin, without blocking the thread; undefined when it can at once. Rejects
   * with a `BusyError` when that takes longer than `PATIENCE_MS`, and when the signal aborts.
   */
  free(signal?: AbortSignal): Promise<void> | undefined;
  /** Resolves when the repair that runs has ended, so that something can be read; undefined when none does. */
  repaired(): Promise<void> | undefined;
  /** Checks the whole file in a worker thread, and repairs it if it is damaged. */
  check(): Promise<void>;
  close(): void;
}

export interface DatabaseOptions {
  /**
   * Milliseconds that SQLite itself waits for another process, where only it can: while it reads or
   * commits. Default: 5000 (spec CS-90).
   */
  readonly busyTimeoutMs?: number;
  /** Uses a rollback journal even where a write-ahead log would be safe. */
  readonly rollbackJournal?: boolean;
  /** Times the waiting of `free`. */
  readonly clock?: Clock;
}

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/** Milliseconds for which a write may block the thread. Writes of other windows take a few. */
const WRITE_WAIT_MS = 40;

/** How often a locked file is tried, in milliseconds. */
const RETRY_MS = 50;

/** For how long a request waits for a file that another program has locked, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Opens the database and migrates its schema. Creates a missing file and its folder with mode 0600
 * and 0700. A damaged file is renamed and replaced by one with what can be read of it; `free` resolves
 * then. When the file cannot be used at all, throws an error with a message for the user and changes
 * nothing.
 */
export function openDatabase(
  file: string,
  now: () => number,
  { busyTimeoutMs = 5000, rollbackJournal = false, clock = systemClock }: DatabaseOptions = {},
): Database {
  const migrations = MIGRATIONS;
  const live = new LiveFile(file, { migrations, busyTimeoutMs, rollbackJournal, now });
  const begin = createBegin(live, file, busyTimeoutMs);
  const database: Database = {
    notices: live.notices,
    onNotice: live.noticed.event,
    tell: (text) => live.notice(text),
    onDidReplace: live.replaced.event,
    get journal() {
      return live.journal;
    },
    run: (sql, ...values) =>
      database.transaction(() =>
        live.use((prepare) => Number(prepare(sql).run(...values).changes)),
      ),
    get: (sql, ...values) => live.use((prepare) => prepare(sql).get(...values)),
    all: (sql, ...values) => live.use((prepare) => prepare(sql).all(...values)),
    transaction: (work) => {
      if (live.isTransaction) return work();
      begin(WRITE_WAIT_MS);
      try {
        const result = work();
        live.use((prepare) => prepare('COMMIT').run());
        return result;
      } catch (error) {
        live.rollBack();
        throw error;
      }
    },
    emptyLog: () => {
      if (live.isTransaction) return;
      live.use((prepare) =>
        withTimeout(prepare, busyTimeoutMs, WRITE_WAIT_MS, () =>
          prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
        ),
      );
    },
    free: createFree(live, begin, clock),
    repaired: () => live.repairing,
    check: () => live.check(),
    close: () => live.close(),
  };
  return database;
}

/** Starts a write transaction on the file that the path names. Throws a `BusyError` after `ms`. */
type Begin = (ms: number) => void;

function createBegin(live: LiveFile, file: string, busyTimeoutMs: number): Begin {
  // IMMEDIATE, because a transaction that starts with a read cannot wait for another writer later.
  const tryBegin = (ms: number) =>
    live.use((prepare) =>
      withTimeout(prepare, busyTimeoutMs, ms, () => prepare('BEGIN IMMEDIATE').run()),
    );
  return (ms) => {
    try {
      tryBegin(ms);
      if (!live.isMoved()) return;
      // Another host replaced the file while this one waited for it.
      live.rollBack();
      live.follow();
      tryBegin(ms);
    } catch (error) {
      if (!isBusy(error) || error instanceof BusyError) throw error;
      throw new BusyError(
        `The history ${file} is locked by another program. Nothing was lost; try again in a moment.`,
      );
    }
  };
}

/** Runs `work`, which waits for other processes for `ms` at most. */
function withTimeout<Result>(
  prepare: (sql: string) => StatementSync,
  usual: number,
  ms: number,
  work: () => Result,
): Result {
  prepare(`PRAGMA busy_timeout = ${Math.min(ms, usual)}`).get();
  try {
    return work();
  } finally {
    prepare(`PRAGMA busy_timeout = ${usual}`).get();
  }
}

function createFree(live: LiveFile, begin: Begin, clock: Clock): Database['free'] {
  /** Undefined when a write can begin. */
  function findObstacle(): BusyError | undefined {
    if (live.isTransaction) return undefined;
    try {
      begin(0);
      live.rollBack();
      return undefined;
    } catch (error) {
      if (error instanceof BusyError) return error;
      // The write itself reports it.
      return undefined;
    }
  }

  async function wait(signal: AbortSignal): Promise<void> {
    let left = PATIENCE_MS;
    for (;;) {
      // A repair ends by itself, and may take as long as the file is large.
      if (live.repairing !== undefined) await live.repairing;
      else {
        await sleep(clock, RETRY_MS, signal);
        left -= RETRY_MS;
      }
      const obstacle = findObstacle();
      if (obstacle === undefined) return;
      if (left <= 0) throw obstacle;
    }
  }

  return (signal = NEVER) => (findObstacle() === undefined ? undefined : wait(signal));
}

const NEVER = new AbortController().signal;
