import type { Clock } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { MB } from '../base/units.ts';
import type { Database, SqlRow } from './file/database.ts';
import { numberAt, optionalTextAt, textAt } from './rows.ts';

/** An entry of a folder before or after a change that is no text. `mode`: only its mode changed. */
export type StoredEntry =
  | { readonly type: 'none' }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'folder' | 'mode'; readonly mode: number }
  | {
      readonly type: 'file';
      readonly mode: number;
      /** SHA-256 of its bytes, as hex; empty when it was too large to be read. */
      readonly hash: string;
      /** Absent: too large to be kept, dropped for newer contents, or what the change made. */
      readonly content?: Buffer | undefined;
    };

/** A change that a call made to an entry: a binary file, a link, a folder or a mode. */
export interface StoredEntryChange {
  /** Absolute. */
  readonly path: string;
  readonly before: StoredEntry;
  readonly after: StoredEntry;
}

/** A change of an entry that the user has not reviewed. */
export interface UnreviewedEntryChange extends StoredEntryChange {
  readonly id: number;
  readonly toolCallId: string;
}

/** `unreviewed`: the change awaits the user's review. `undo`: it undoes others, whose contents do not make room for it. */
export type EntryRank = 'reviewed' | 'unreviewed' | 'undo';

export interface AddedEntry {
  /** Of the row. */
  readonly id: number;
  /** The content of a change that awaits the user's review made room for it, so that it can't be undone any more. */
  readonly droppedUnreviewed: boolean;
}

export interface EntryTable {
  /**
   * The content of a file is kept as far as `CONTENT_LIMITS` allow; the oldest contents of the session
   * make room for it, those of changes that the user has reviewed first.
   */
  addEntryChange(
    sessionId: string,
    toolCallId: string,
    change: StoredEntryChange,
    as?: EntryRank,
  ): AddedEntry;
  removeEntryChange(id: number): void;
  /** Bytes of contents that can still be kept for this call. */
  contentRoom(sessionId: string, toolCallId: string): ContentRoom;
  /** The changes of a call, in the order in which they were made. A `content` is read each time it is accessed. */
  entryChanges(sessionId: string, toolCallId: string): readonly StoredEntryChange[];
  /** Those of a session that await the user's review, in the order in which they were made. */
  unreviewedEntries(sessionId: string): readonly UnreviewedEntryChange[];
  /** The user has reviewed these. */
  setEntriesReviewed(ids: readonly number[]): void;
}

/** Bytes of contents that can be kept. */
export interface ContentRoom {
  readonly call: number;
  /** Without dropping those of other calls. */
  readonly session: number;
  /** Without dropping those of other calls that await the user's review. */
  readonly unreviewed: number;
}

/** Whether what was there before can be restored. Reads no content. */
export function isKept({ before }: StoredEntryChange): boolean {
  return before.type !== 'file' || 'content' in before;
}

/** Bytes of the contents that are kept for all changes of one call, and of one session. */
export const CONTENT_LIMITS = { call: 64 * MB, session: 256 * MB } as const;

export function entryTable(
  database: Database,
  clock: Clock,
  kept: Readonly<Record<keyof typeof CONTENT_LIMITS, number>> = CONTENT_LIMITS,
): EntryTable {
  return {
    addEntryChange: (sessionId, toolCallId, { path, before, after }, as = 'reviewed') =>
      database.transaction(() => {
        const content = toContent(before);
        const { call, session } = getRoom(database, kept, sessionId, toolCallId);
        const fits = (content?.length ?? 0) <= (as === 'undo' ? Math.min(call, session) : call);
        database.run(
          `INSERT INTO chat_entries (session_id, tool_call_id, path, before_json, after_json, content, created_at, unreviewed)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[sessionId, toolCallId, path, toJson(before), toJson(after)],
          ...[fits ? content : null, clock.now(), as === 'unreviewed' ? 1 : 0],
        );
        const row = database.get('SELECT last_insert_rowid() AS id');
        const id = row === undefined ? 0 : numberAt(row, 'id');
        if (!fits || content === null) return { id, droppedUnreviewed: false };
        const dropped = database.all(DROP_OLDEST, toolCallId, sessionId, kept.session);
        return {
          id,
          droppedUnreviewed: dropped.some((each) => numberAt(each, 'unreviewed') === 1),
        };
      }),
    removeEntryChange: (id) => {
      database.run('DELETE FROM chat_entries WHERE id = ?', id);
    },
    contentRoom: (sessionId, toolCallId) => getRoom(database, kept, sessionId, toolCallId),
    entryChanges: (sessionId, toolCallId) =>
      database.all(ENTRIES, sessionId, toolCallId).map((row) => entryChangeAt(row, database)),
    unreviewedEntries: (sessionId) =>
      database.all(UNREVIEWED, sessionId).map((row) => ({
        ...{ id: numberAt(row, 'id'), toolCallId: textAt(row, 'tool_call_id') },
        ...entryChangeAt(row, database),
      })),
    setEntriesReviewed: (ids) => {
      database.run(
        'UPDATE chat_entries SET unreviewed = 0 WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
    },
  };
}

const COLUMNS =
  'id, tool_call_id, path, before_json, after_json, content IS NOT NULL AS kept FROM chat_entries';
const ENTRIES = `SELECT ${COLUMNS} WHERE session_id = ? AND tool_call_id = ? ORDER BY id`;
const UNREVIEWED = `SELECT ${COLUMNS} WHERE session_id = ? AND unreviewed = 1 ORDER BY id`;

function entryChangeAt(row: SqlRow, database: Database): StoredEntryChange {
  return {
    path: textAt(row, 'path'),
    before: withContent(entryAt(row, 'before_json'), row, database),
    after: entryAt(row, 'after_json'),
  };
}

function getRoom(
  database: Database,
  kept: Pick<ContentRoom, 'call' | 'session'>,
  sessionId: string,
  toolCallId: string,
): ContentRoom {
  const used = database.get(USED, toolCallId, toolCallId, sessionId);
  if (used === undefined) return { ...kept, unreviewed: kept.session };
  return {
    call: kept.call - numberAt(used, 'call'),
    session: kept.session - numberAt(used, 'session'),
    unreviewed: kept.session - numberAt(used, 'unreviewed'),
  };
}

const USED = `
  SELECT coalesce(sum(length(content)), 0) AS session,
    coalesce(sum(length(content)) FILTER (WHERE tool_call_id = ?), 0) AS call,
    coalesce(sum(length(content)) FILTER (WHERE unreviewed = 1 OR tool_call_id = ?), 0) AS unreviewed
  FROM chat_entries WHERE session_id = ?`;

/**
 * Keeps as many contents of a session as fit: those of one call, then those that await a review, then the others, of
 * each the newest.
 */
const DROP_OLDEST = `
  UPDATE chat_entries SET content = NULL WHERE id IN (
    SELECT id FROM (
      SELECT id, sum(length(content)) OVER (
        ORDER BY tool_call_id = ? DESC, unreviewed DESC, id DESC
      ) AS bytes
      FROM chat_entries WHERE session_id = ? AND content IS NOT NULL
    ) WHERE bytes > ?
  ) RETURNING unreviewed`;

function toJson(entry: StoredEntry): string {
  if (entry.type !== 'file') return JSON.stringify(entry);
  const { content: _, ...described } = entry;
  return JSON.stringify(described);
}

function toContent(entry: StoredEntry): Buffer | null {
  return entry.type === 'file' ? (entry.content ?? null) : null;
}

/** Throws for a row that nobody can have written: what is not understood restores nothing. */
function entryAt(row: SqlRow, key: string): StoredEntry {
  const value = parseJson(optionalTextAt(row, key) ?? '');
  const { type, target, mode, hash } = isRecord(value) ? value : {};
  if (type === 'none') return { type };
  if (type === 'link' && typeof target === 'string') return { type, target };
  if (typeof mode === 'number') {
    if (type === 'folder' || type === 'mode') return { type, mode };
    if (type === 'file' && typeof hash === 'string') return { type, mode, hash };
  }
  throw new Error(`The history has no entry in column ${key}.`);
}

/** Many contents together may be too large for memory, so each is read by itself. */
function withContent(entry: StoredEntry, row: SqlRow, database: Database): StoredEntry {
  if (entry.type !== 'file' || numberAt(row, 'kept') === 0) return entry;
  const id = numberAt(row, 'id');
  return {
    ...entry,
    get content() {
      const content = database.get('SELECT content FROM chat_entries WHERE id = ?', id)?.[
        'content'
      ];
      return content instanceof Uint8Array ? Buffer.from(content) : undefined;
    },
  };
}
