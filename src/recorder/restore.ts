import type { Clock } from '../base/clock.ts';
import type { Database, SqlRow } from './file/database.ts';
import { isBusy } from './file/faults.ts';
import type { SessionTable } from './sessions.ts';

/** Sessions that this process has opened, with their rows, should they get lost with a damaged file. */
export interface KeptSessions extends Pick<SessionTable, 'createSession' | 'session'> {
  /** Call when a session is deleted: its row must not come back. */
  drop(sessionId: string): void;
  /** Stores the rows that are missing. */
  restore(): void;
}

export function keepSessions(database: Database, table: SessionTable): KeptSessions {
  const rows = new Map<string, SqlRow>();
  const keep = (id: string) => {
    const row = database.get('SELECT * FROM chat_sessions WHERE id = ?', id);
    if (row !== undefined) rows.set(id, row);
  };
  return {
    createSession(session) {
      const created = table.createSession(session);
      keep(created.id);
      return created;
    },
    session(id) {
      const found = table.session(id);
      if (found !== undefined) keep(id);
      return found;
    },
    drop: (sessionId) => void rows.delete(sessionId),
    restore() {
      for (const row of rows.values()) restoreRow(database, row);
    },
  };
}

/** A row that stands in for a lost one has no folder. */
function restoreRow(database: Database, row: SqlRow): void {
  const names = Object.keys(row).map((name) => `"${name}"`);
  database.run(
    `INSERT INTO chat_sessions (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT(id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
     WHERE chat_sessions.workspace_root IS NULL`,
    ...Object.values(row),
  );
}

const RETRY_MS = 100;

/** Runs `work` each time the file was replaced, again and again while it is locked. */
export function afterReplaced(database: Database, clock: Clock, work: () => void): void {
  const attempt = () => {
    try {
      work();
    } catch (error) {
      if (isBusy(error)) clock.after(RETRY_MS, attempt);
      // What can't be written now is reported by the next write of its session.
      else database.tell(`Open sessions could not be restored in the new history: ${error}`);
    }
  };
  database.onDidReplace(attempt);
}
