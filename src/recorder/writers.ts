import type { Clock } from '../base/clock.ts';
import { processMark, readMark } from '../base/disk/processMark.ts';
import type { Disposable } from '../base/disposable.ts';
import { createId } from '../base/ids.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { MessageMetadata, StoredMessage } from '../base/stream/stored.ts';
import type { UnfinishedTurn } from '../base/stream/unfinished.ts';
import type { Database } from './file/database.ts';
import { isBusy } from './file/faults.ts';
import type { History } from './history.ts';
import { readUnfinished } from './messages.ts';
import { closeOrphans } from './orphanedCalls.ts';
import type { ContinuedTurn, TurnRecord } from './records.ts';
import { numberAt, textAt } from './rows.ts';
import { openTurnRecord } from './turnRecord.ts';

/**
 * Tracks who writes which session: one turn at a time across all windows (spec CS-81, spec CS-96).
 */
export interface Writers {
  claim(sessionId: string): Outcome<void>;
  release(...sessionIds: readonly string[]): void;
  /** Whether the claim is still ours: a host that was stopped for long may have lost it. */
  owns(sessionId: string): boolean;
  /** True while a turn of any live window, this one included, writes the session. */
  isHeld(sessionId: string): boolean;
  /** Stores the claims of this process that are missing. */
  restore(): void;
}

/** A writer renews its claim every 10 s; the claim expires after 30 s or when its process ends. */
const BEAT_MS = 10_000;
const GONE_MS = 30_000;

export function createWriters(database: Database, clock: Clock): Writers {
  const writer = createId('ses', clock.now());
  const beats = new Map<string, Disposable>();

  const isHeld = (sessionId: string): boolean => {
    const row = database.get('SELECT * FROM chat_writers WHERE session_id = ?', sessionId);
    if (row === undefined) return false;
    // A claim whose release failed is ours no more.
    if (textAt(row, 'writer') === writer) return beats.has(sessionId);
    if (clock.now() - numberAt(row, 'seen_at') > GONE_MS) return false;
    return readMark(textAt(row, 'host')) !== 'ended';
  };

  const beat = (sessionId: string) => {
    const timer = clock.after(BEAT_MS, () => {
      const sql = 'UPDATE chat_writers SET seen_at = ? WHERE session_id = ? AND writer = ?';
      try {
        // A released or rolled-back claim needs no heartbeat.
        if (database.run(sql, clock.now(), sessionId, writer) === 0) return;
      } catch {
        // Disk full or database locked: the turn's next write reports it, and the next beat
        // retries.
      }
      beat(sessionId);
    });
    beats.set(sessionId, timer);
  };

  const insert = (sql: string, sessionId: string) => {
    database.run(sql, sessionId, writer, processMark(), process.pid, clock.now());
  };

  return {
    isHeld,
    restore: () => {
      for (const sessionId of beats.keys()) insert(RESTORE, sessionId);
    },
    owns: (sessionId) => {
      const row = database.get('SELECT * FROM chat_writers WHERE session_id = ?', sessionId);
      return row !== undefined && textAt(row, 'writer') === writer;
    },
    claim: (sessionId) =>
      database.transaction(() => {
        if (isHeld(sessionId)) return failure(IN_USE);
        insert(CLAIM, sessionId);
        beat(sessionId);
        return success(undefined);
      }),
    release: (...sessionIds) => {
      for (const sessionId of sessionIds) {
        beats.get(sessionId)?.dispose();
        beats.delete(sessionId);
      }
      const sql = 'DELETE FROM chat_writers WHERE session_id = ? AND writer = ?';
      try {
        database.transaction(() => {
          for (const sessionId of sessionIds) database.run(sql, sessionId, writer);
        });
      } catch (error) {
        // It is ours no more without its heartbeat, and other windows see it expire.
        if (!isBusy(error)) throw error;
      }
    },
  };
}

const CLAIM = 'INSERT OR REPLACE INTO chat_writers VALUES (?, ?, ?, ?, ?)';
/** A session that is being copied or deleted may have no row any more. */
const RESTORE = `INSERT OR IGNORE INTO chat_writers SELECT ?1, ?2, ?3, ?4, ?5
  WHERE EXISTS (SELECT 1 FROM chat_sessions WHERE id = ?1)`;

const IN_USE =
  'This session is already running a turn, perhaps in another window. Wait for it to finish, or stop it there.';

/** The turns that this process writes. */
export interface Turns {
  open(sessionId: string, metadata?: MessageMetadata): Outcome<TurnRecord>;
  unfinished(sessionId: string): UnfinishedTurn | undefined;
  continue(sessionId: string, metadata?: MessageMetadata): Outcome<ContinuedTurn | undefined>;
  /** Writes what is buffered of the session's turn. */
  flush(sessionId: string): void;
  /** Stores again what is missing of the turns that run. */
  restore(): void;
  /** Closes every turn, and waits for a locked file for about a second. */
  close(): void;
}

/** Each may block for the time that a write waits. */
const LAST_ATTEMPTS = 25;

interface TurnParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly writers: Writers;
  readonly history: History;
}

export function createTurns(parts: TurnParts): Turns {
  const { database, clock, writers, history } = parts;
  const turns = new Map<string, TurnRecord>();

  /** Opens the record of a session that is claimed. */
  function open(sessionId: string, metadata: MessageMetadata, known?: StoredMessage): TurnRecord {
    const release = () => {
      turns.delete(sessionId);
      writers.release(sessionId);
    };
    const context = {
      ...{ database, clock, sessionId, metadata },
      changed: (messageId: string) => history.changed(sessionId, messageId),
      owns: () => writers.owns(sessionId),
    };
    const turn = openTurnRecord(context, release, known);
    turns.set(sessionId, turn);
    return turn;
  }

  return {
    open(sessionId, metadata = {}) {
      // An earlier turn that ended while the file was locked.
      turns.get(sessionId)?.flush();
      const claimed = writers.claim(sessionId);
      return claimed.ok ? success(open(sessionId, metadata)) : claimed;
    },
    unfinished: (sessionId) =>
      writers.isHeld(sessionId) ? undefined : readUnfinished(database, sessionId),
    continue(sessionId, metadata = {}) {
      const claimed = claimUnfinished(parts, sessionId);
      if (!claimed.ok) return claimed;
      const unfinished = claimed.data;
      if (unfinished === undefined) return success(undefined);
      const { message } = unfinished;
      const record = open(sessionId, { ...message.metadata, ...metadata }, message);
      return success({ ...unfinished, record });
    },
    flush: (sessionId) => turns.get(sessionId)?.flush(),
    restore() {
      writers.restore();
      for (const turn of turns.values()) turn.rewrite();
    },
    close() {
      for (const turn of [...turns.values()]) {
        for (let left = LAST_ATTEMPTS; left > 0 && !turn.close(); left--);
      }
    },
  };
}

/** In one transaction, so that of two windows that loaded the session only one continues the turn. */
function claimUnfinished(
  { database, clock, writers, history }: TurnParts,
  sessionId: string,
): Outcome<UnfinishedTurn | undefined> {
  history.invalidate(sessionId);
  return database.transaction((): Outcome<UnfinishedTurn | undefined> => {
    if (!writers.isHeld(sessionId)) closeOrphans(database, clock, sessionId);
    const claimed = writers.claim(sessionId);
    if (!claimed.ok) return claimed;
    const unfinished = readUnfinished(database, sessionId);
    if (unfinished === undefined) writers.release(sessionId);
    return success(unfinished);
  });
}
