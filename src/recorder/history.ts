import type { StoredMessage } from '../base/stream/stored.ts';
import type { Database } from './file/database.ts';
import { readMessage, readMessages } from './messages.ts';

/**
 * Reads the messages of sessions. Every turn starts by reading its whole session, so the sessions used
 * last are cached and only their changed messages are read again. Otherwise each turn would cost more than
 * the one before, also where several sessions take turns.
 */
export interface History {
  messages(sessionId: string): StoredMessage[];
  /** Call for every message that this process writes, before or after the write. */
  changed(sessionId: string, messageId: string): void;
  /** Invalidates one session, or all of them: a transaction was rolled back, or many rows changed. */
  invalidate(sessionId?: string): void;
}

/** What is kept at most. The session used last is kept whatever its size. */
export interface HistoryBounds {
  readonly sessions: number;
  /** Of the stored parts. */
  readonly characters: number;
}

const BOUNDS: HistoryBounds = { sessions: 8, characters: 16_000_000 };

interface Kept {
  readonly sessionId: string;
  /** SQLite's `data_version`, which changes with commits of other connections. */
  readonly version: unknown;
  readonly messages: StoredMessage[];
  /** The stored characters of each message by its id. */
  readonly sizes: Map<string, number>;
  readonly changed: Set<string>;
}

export function createHistory(database: Database, bounds: HistoryBounds = BOUNDS): History {
  /** The session used last is the last one. */
  const all = new Map<string, Kept>();

  function read(sessionId: string): Kept {
    // Read before the rows: a commit in between is then read twice rather than missed.
    const version = database.get('PRAGMA data_version')?.['data_version'];
    const kept = all.get(sessionId);
    if (kept?.version === version && kept !== undefined && update(database, kept)) return kept;
    const sizes = new Map<string, number>();
    const messages = readMessages(database, sessionId, sizes);
    return { sessionId, version, messages, sizes, changed: new Set() };
  }

  return {
    messages(sessionId) {
      const kept = read(sessionId);
      all.delete(sessionId);
      all.set(sessionId, kept);
      dropOldest(all, bounds);
      return [...kept.messages];
    },
    changed: (sessionId, messageId) => void all.get(sessionId)?.changed.add(messageId),
    invalidate: (sessionId) => {
      if (sessionId === undefined) all.clear();
      else all.delete(sessionId);
    },
  };
}

/** Drops the sessions that were used longest ago until the rest is within the bounds. */
function dropOldest(all: Map<string, Kept>, { sessions, characters }: HistoryBounds): void {
  let [count, size] = [0, 0];
  for (const { sessionId, sizes } of [...all.values()].reverse()) {
    count += 1;
    for (const each of sizes.values()) size += each;
    if (count > 1 && (count > sessions || size > characters)) all.delete(sessionId);
  }
}

/**
 * Reads the changed messages into the cache. False when only a complete read gives the right order.
 */
function update(database: Database, { sessionId, messages, sizes, changed }: Kept): boolean {
  for (const id of changed) {
    const isKnown = sizes.has(id);
    const message = readMessage(database, sessionId, id, sizes);
    const index = isKnown ? messages.findLastIndex((known) => known.id === id) : -1;
    if (message !== undefined && index >= 0) messages[index] = message;
    else if (index >= 0) return false;
    // A new row is always the last, whatever its timestamp.
    else if (message !== undefined) messages.push(message);
  }
  changed.clear();
  return true;
}
