import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { isRunning } from '../base/faults.ts';
import { createId } from '../base/ids.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { Database } from './database.ts';
import { numberAt, textAt } from './rows.ts';

/**
 * Tracks who writes which session: one turn at a time across all windows (spec CS-81, spec CS-96).
 */
export interface Writers {
  claim(sessionId: string): Outcome<void>;
  release(sessionId: string): void;
  /** True while a turn of any live window, this one included, writes the session. */
  isHeld(sessionId: string): boolean;
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
    if (textAt(row, 'writer') === writer) return true;
    if (clock.now() - numberAt(row, 'seen_at') > GONE_MS) return false;
    return textAt(row, 'host') !== hostname() || isRunning(numberAt(row, 'pid'));
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

  return {
    isHeld,
    claim: (sessionId) =>
      database.transaction(() => {
        if (isHeld(sessionId)) return failure(IN_USE);
        const sql = 'INSERT OR REPLACE INTO chat_writers VALUES (?, ?, ?, ?, ?)';
        database.run(sql, sessionId, writer, hostname(), process.pid, clock.now());
        beat(sessionId);
        return success(undefined);
      }),
    release: (sessionId) => {
      beats.get(sessionId)?.dispose();
      beats.delete(sessionId);
      const sql = 'DELETE FROM chat_writers WHERE session_id = ? AND writer = ?';
      database.run(sql, sessionId, writer);
    },
  };
}

const IN_USE =
  'This session is already running a turn, perhaps in another window. Wait for it to finish, or stop it there.';
