import type { StoredMessage } from '../base/stream/stored.ts';
import type { Database } from './database.ts';
import { readMessage, readMessages } from './messages.ts';

/**
 * Reads the messages of sessions. Every turn starts by reading its whole session, so the last
 * session is cached and only its changed messages are read again. Otherwise each turn would cost
 * more than the one before.
 */
export interface History {
  messages(sessionId: string): StoredMessage[];
  /** Call for every message that this process writes, before or after the write. */
  changed(messageId: string): void;
  /** Invalidates the cache: a transaction was rolled back, or many rows changed. */
  invalidate(): void;
}

interface Kept {
  readonly sessionId: string;
  /** SQLite's `data_version`, which changes with commits of other connections. */
  readonly version: unknown;
  readonly messages: StoredMessage[];
  /** The ids of them all. */
  readonly ids: Set<string>;
  readonly changed: Set<string>;
}

export function createHistory(database: Database): History {
  let kept: Kept | undefined;

  function read(sessionId: string): Kept {
    // Read before the rows: a commit in between is then read twice rather than missed.
    const version = database.get('PRAGMA data_version')?.['data_version'];
    if (kept?.sessionId === sessionId && kept.version === version && update(database, kept)) {
      return kept;
    }
    const messages = readMessages(database, sessionId);
    const ids = new Set(messages.map(({ id }) => id));
    return { sessionId, version, messages, ids, changed: new Set() };
  }

  return {
    messages(sessionId) {
      kept = read(sessionId);
      return [...kept.messages];
    },
    changed: (messageId) => void kept?.changed.add(messageId),
    invalidate: () => {
      kept = undefined;
    },
  };
}

/**
 * Reads the changed messages into the cache. False when only a complete read gives the right order.
 */
function update(database: Database, { sessionId, messages, ids, changed }: Kept): boolean {
  for (const id of changed) {
    const message = readMessage(database, sessionId, id);
    const index = ids.has(id) ? messages.findLastIndex((known) => known.id === id) : -1;
    if (message !== undefined && index >= 0) messages[index] = message;
    else if (index >= 0) return false;
    // A new row is always the last, whatever its timestamp.
    else if (message !== undefined) {
      messages.push(message);
      ids.add(id);
    }
  }
  changed.clear();
  return true;
}
