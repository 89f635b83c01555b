/** Where a request to the user is sent. */
export interface Asking {
  /** False while the newest connection has not opened the session, so that its client doesn't know it. */
  readonly ready: boolean;
  /** Aborts when the request belongs on a newer connection, or can be sent at last. */
  readonly moved: AbortSignal;
}

/** Which connection the user of each session is asked on. */
export interface Moves {
  /** A newer connection takes the place of the last one. */
  next(): void;
  /** The client of the newest connection has opened the session. */
  opened(sessionId: string): void;
  asking(sessionId: string): Asking;
}

interface Entry extends Asking {
  readonly connection: number;
  readonly left: AbortController;
}

export function createMoves(): Moves {
  /** The newest connection on which a client has opened each session. */
  const shown = new Map<string, number>();
  const entries = new Map<string, Entry>();
  let connection = 1;

  /** Sessions that no client opens, such as those that an agent starts, follow the next one that is opened. */
  function follows(sessionId: string, opened: string): boolean {
    return sessionId === opened || !shown.has(sessionId);
  }

  return {
    next: () => {
      connection += 1;
    },
    opened(sessionId) {
      shown.set(sessionId, connection);
      for (const [asking, entry] of entries) {
        if (entry.ready && entry.connection === connection) continue;
        if (!follows(asking, sessionId)) continue;
        entries.delete(asking);
        entry.left.abort();
      }
    },
    asking(sessionId) {
      const known = entries.get(sessionId);
      if (known?.connection === connection) return known;
      // An older request on its way keeps its own signal, which `opened` has to find.
      if (known !== undefined) return { ready: false, moved: known.moved };
      const left = new AbortController();
      const ready = (shown.get(sessionId) ?? connection) === connection;
      const entry: Entry = { connection, ready, left, moved: left.signal };
      entries.set(sessionId, entry);
      return entry;
    },
  };
}
