import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Clock } from '../base/clock.ts';
import { MB } from '../base/units.ts';
import type { Database, SqlRow } from './file/database.ts';
import { numberAt, textAt } from './rows.ts';

/** A change of one file that a call made. */
export interface StoredChange {
  /** Absolute. */
  readonly path: string;
  /** Absent: the file was created. */
  readonly before?: string;
  /** Absent: the file was deleted. */
  readonly after?: string;
}

export interface ChangeTable {
  /** Returns the row's id; undefined when the texts are too large to keep. */
  addChange(sessionId: string, toolCallId: string, change: StoredChange): number | undefined;
  removeChange(id: number): void;
  /** The changes of a call, in the order in which they were made. */
  changes(sessionId: string, toolCallId: string): readonly StoredChange[];
}

/** Characters of both texts of a change; larger ones can't be reverted. */
const KEPT_CHARACTERS = 16 * MB;

export function changeTable(database: Database, clock: Clock): ChangeTable {
  return {
    addChange: (sessionId, toolCallId, { path, before, after }) => {
      if ((before?.length ?? 0) + (after?.length ?? 0) > KEPT_CHARACTERS) return undefined;
      database.run(
        `INSERT INTO chat_changes (session_id, tool_call_id, path, before_text, after_text, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        ...[sessionId, toolCallId, path, deflate(before), deflate(after), clock.now()],
      );
      const row = database.get('SELECT last_insert_rowid() AS id');
      return row && numberAt(row, 'id');
    },
    removeChange: (id) => {
      database.run('DELETE FROM chat_changes WHERE id = ?', id);
    },
    changes: (sessionId, toolCallId) =>
      database
        .all(CHANGES, sessionId, toolCallId)
        .map((row) => ({ path: textAt(row, 'path'), ...textsAt(row) })),
  };
}

const CHANGES = 'SELECT * FROM chat_changes WHERE session_id = ? AND tool_call_id = ? ORDER BY id';

/** A file with changes that are on disk, and that the user has not reviewed. */
export interface StoredUnreviewed {
  /** Absolute. */
  readonly path: string;
  /** The text without those changes; absent: there was no file. */
  readonly before?: string;
  /** The text with them; absent: the file was deleted. */
  readonly after?: string;
}

export interface UnreviewedTable {
  /** In the order in which the files were first changed. */
  unreviewed(sessionId: string): readonly StoredUnreviewed[];
  putUnreviewed(sessionId: string, file: StoredUnreviewed): void;
  removeUnreviewed(sessionId: string, path: string): void;
  /** Changes with every change of the session's list, by any window. Reads no texts. */
  unreviewedStamp(sessionId: string): string;
}

export function unreviewedTable(database: Database, clock: Clock): UnreviewedTable {
  return {
    unreviewed: (sessionId) =>
      database
        .all('SELECT * FROM chat_unreviewed WHERE session_id = ? ORDER BY rowid', sessionId)
        .map((row) => ({ path: textAt(row, 'path'), ...textsAt(row) })),
    putUnreviewed: (sessionId, { path, before, after }) => {
      const now = clock.now();
      database.run(
        `INSERT INTO chat_unreviewed (session_id, path, before_text, after_text, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT(session_id, path) DO UPDATE SET before_text = excluded.before_text,
           after_text = excluded.after_text, updated_at = excluded.updated_at`,
        ...[sessionId, path, deflate(before), deflate(after), now, now],
      );
    },
    removeUnreviewed: (sessionId, path) => {
      database.run(
        'DELETE FROM chat_unreviewed WHERE session_id = ? AND path = ?',
        ...[sessionId, path],
      );
    },
    unreviewedStamp: (sessionId) =>
      JSON.stringify(
        [STAMPS, ENTRY_STAMPS].map((sql) =>
          database.all(sql, sessionId).map((row) => Object.values(row)),
        ),
      ),
  };
}

const STAMPS = `
  SELECT path, updated_at, length(before_text) AS before, length(after_text) AS after
  FROM chat_unreviewed WHERE session_id = ? ORDER BY rowid`;

const ENTRY_STAMPS =
  'SELECT id, content IS NULL AS dropped FROM chat_entries WHERE session_id = ? AND unreviewed = 1';

/** Source code shrinks to a fraction; the fastest level is as good as any. */
function deflate(text: string | undefined): Buffer | null {
  return text === undefined ? null : deflateRawSync(text, { level: 1 });
}

/** The columns `before_text` and `after_text`. */
function textsAt(row: SqlRow): Pick<StoredChange, 'before' | 'after'> {
  const { before_text: before, after_text: after } = row;
  return {
    ...(before instanceof Uint8Array && { before: inflateRawSync(before).toString('utf8') }),
    ...(after instanceof Uint8Array && { after: inflateRawSync(after).toString('utf8') }),
  };
}
