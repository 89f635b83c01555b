import type { StoredMessage } from '../base/stream/stored.ts';
import type { Database } from './database.ts';
import { readMessage, readMessages } from './messages.ts';

/**
 * The messages of sessions. A turn begins by reading its whole session, so the session that was read last
 * is kept, and only what changed in it is read again: else each turn would cost more than the one before.
 */
export interface History {
  messages(sessionId: string): StoredMessage[];
  /** To be called for every message that this process writes, before or after it does. */
  changed(messageId: string): void;
  /** What is kept may be anything but what is stored: a transaction fell, or many rows changed. */
  invalidate(): void;
}

interface Kept {
  readonly sessionId: string;
  /** As SQLite counts the commits of other connections. */
  readonly version: unknown;
  readonly messages: StoredMessage[];
  readonly changed: Set<string>;
}

export function createHistory(database: Database): History {
  let kept: Kept | undefined;

  function read(sessionId: string): Kept {
    // Asked before the rows are read: what is committed in between is read twice rather than missed.
    const version = database.get('PRAGMA data_version')?.['data_version'];
    if (kept?.sessionId === sessionId && kept.version === version && update(database, kept)) {
      return kept;
    }
    const messages = readMessages(database, sessionId);
    return { sessionId, version, messages, changed: new Set() };
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

/** Reads what changed. False when a message is not where it can be told without a look at all of them. */
function update(database: Database, { sessionId, messages, changed }: Kept): boolean {
  for (const id of changed) {
    const message = readMessage(database, sessionId, id);
    const index = messages.findLastIndex((known) => known.id === id);
    if (message !== undefined && index >= 0) messages[index] = message;
    else if (index >= 0) return false;
    // A new row is the last one, whatever the clock says.
    else if (message !== undefined) messages.push(message);
  }
  changed.clear();
  return true;
}
