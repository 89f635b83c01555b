import type { SqlRow } from '../../file/database.ts';
import type { RecorderStore } from '../../recorder.ts';
import { optionalTextAt, readNumber, textAt } from '../../rows.ts';
import { COMPLETE } from '../../sessions.ts';
import type { IndexFile } from './indexFile.ts';
import { beginPurge, purging } from './purge.ts';
import { toSearchText } from './searchText.ts';

/** A text is indexed in pieces of about so many characters, each of which takes a few milliseconds. */
const PIECE_CHARACTERS = 16_384;
/** Documents are numbered by the time of their message, in milliseconds, times this. */
const PER_MILLISECOND = 2048n;
/** Numbers of documents are read as numbers of JavaScript, which are exact up to 2^42 ms, and some come after it. */
const LATEST = 2 ** 42 - 2 ** 20;

/**
 * Brings the index up to date, the newest sessions first. Each step of the generator takes a few
 * milliseconds; what was done remains when the rest is never done.
 */
export function* indexing(store: RecorderStore, index: IndexFile): Generator<void> {
  const known = new Map(
    index.all('SELECT id, stamp FROM session').map((row) => [textAt(row, 'id'), row['stamp']]),
  );
  const sessions = store.database.all(SESSIONS);
  yield;
  for (const session of sessions) {
    const id = textAt(session, 'id');
    const isSeen = known.get(id) === session['updated_at'];
    known.delete(id);
    if (!isSeen) yield* indexSession(store, index, session);
  }
  yield* dropSessions(index, known.keys());
}

/** Drops deleted sessions, so that nothing of them can be read in the file any more. */
function* dropSessions(index: IndexFile, ids: Iterable<string>): Generator<void> {
  for (const id of ids) {
    beginPurge(index);
    for (const row of index.all('SELECT DISTINCT message_id FROM doc WHERE session_id = ?', id)) {
      dropMessage(index, textAt(row, 'message_id'));
      yield;
    }
    index.run('DELETE FROM session WHERE id = ?', id);
  }
  yield* purging(index);
}

const SESSIONS = `SELECT id, updated_at, workspace_root FROM chat_sessions WHERE ${COMPLETE}
  ORDER BY updated_at DESC`;

function* indexSession(store: RecorderStore, index: IndexFile, session: SqlRow): Generator<void> {
  const { database, writers, clock } = store;
  const id = textAt(session, 'id');
  const seen = new Map(
    index.all(SEEN, id).map((row) => [textAt(row, 'message_id'), textAt(row, 'stamp')]),
  );
  // Known before any message is read, so that a session that changes meanwhile is read again.
  index.run('INSERT OR REPLACE INTO session VALUES (?, -1)', id);
  const updatedAt = readNumber(session, 'updated_at');
  // Within the same millisecond it could change without another time of change.
  let isFinal = !writers.isHeld(id) && updatedAt < clock.now();
  const messages = database.all(MESSAGES, id);
  yield;
  for (const [at, message] of messages.entries()) {
    const messageId = textAt(message, 'id');
    if (message['hidden'] === 1) continue;
    const isOpen = message['ended'] === 0 && at === messages.length - 1;
    const stamp = isOpen ? OPEN : `${readNumber(message, 'updated_at')}`;
    const known = seen.get(messageId);
    seen.delete(messageId);
    if (isOpen) isFinal = false;
    else if (known === stamp) continue;
    dropMessage(index, messageId);
    yield* addMessage(store, index, { message, session, stamp });
  }
  // Those that are hidden or gone.
  for (const messageId of seen.keys()) {
    dropMessage(index, messageId);
    yield;
  }
  if (isFinal) index.run('UPDATE session SET stamp = ? WHERE id = ?', updatedAt, id);
}

/** The stamp of an answer that grows. */
const OPEN = 'open';
const SEEN =
  'SELECT message_id, min(stamp) AS stamp FROM doc WHERE session_id = ? GROUP BY message_id';
const MESSAGES = `SELECT id, created_at, updated_at,
    json_extract(metadata_json, '$.hidden_at') IS NOT NULL AS hidden,
    role <> 'assistant' OR coalesce(json_extract(metadata_json, '$.finish_reason'),
      json_extract(metadata_json, '$.aborted_at')) IS NOT NULL AS ended
  FROM chat_messages WHERE session_id = ? ORDER BY rowid`;

interface Added {
  readonly message: SqlRow;
  readonly session: SqlRow;
  readonly stamp: string;
}

/** The stamp is written last, so that a message of which only a part is indexed is indexed again. */
function* addMessage(
  { database }: RecorderStore,
  index: IndexFile,
  { message, session, stamp }: Added,
): Generator<void> {
  const messageId = textAt(message, 'id');
  let text = '';
  let pieces = 0;
  const add = (piece: string) => {
    const id = nextId(index, readNumber(message, 'created_at'));
    const cwd = optionalTextAt(session, 'workspace_root') ?? '';
    index.run(
      "INSERT INTO doc (id, message_id, session_id, cwd, stamp) VALUES (?, ?, ?, ?, '')",
      ...[id, messageId, textAt(session, 'id'), cwd],
    );
    index.run('INSERT INTO words (rowid, text) VALUES (?, ?)', id, piece);
    pieces += 1;
  };
  for (const { id } of database.all(PARTS, messageId)) {
    const part = database.get(PART, id ?? null);
    if (part !== undefined) text = `${text}${toSearchText(part)}`.trimStart();
    while (text.length > PIECE_CHARACTERS) {
      const end = cutAt(text);
      add(text.slice(0, end));
      text = text.slice(end);
      yield;
    }
    yield;
  }
  if (text.trim() !== '' || pieces === 0) add(text);
  index.run('UPDATE doc SET stamp = ? WHERE message_id = ?', stamp, messageId);
  yield;
}

const PARTS = 'SELECT id FROM chat_parts WHERE message_id = ? ORDER BY "index", id';
const PART = 'SELECT type, data_json FROM chat_parts WHERE id = ?';

/** After a word, unless it is very long. */
function cutAt(text: string): number {
  const head = text.slice(0, PIECE_CHARACTERS);
  const space = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'));
  return space < PIECE_CHARACTERS / 2 ? PIECE_CHARACTERS : space + 1;
}

/** The next free number of that time; of a later one when so many documents share it, as in an imported session. */
function nextId(index: IndexFile, createdAt: number): bigint {
  // A salvaged row may have any time.
  const time = Math.min(Math.max(0, Math.trunc(createdAt)), LATEST);
  const sql = 'SELECT max(id) AS last FROM doc WHERE id >= ? AND id < ?';
  for (let base = BigInt(time) * PER_MILLISECOND; ; base += PER_MILLISECOND) {
    const last = index.get(sql, base, base + PER_MILLISECOND)?.['last'];
    if (typeof last !== 'number') return base;
    if (BigInt(last) + 1n < base + PER_MILLISECOND) return BigInt(last) + 1n;
  }
}

function dropMessage(index: IndexFile, messageId: string): void {
  index.run(
    'DELETE FROM words WHERE rowid IN (SELECT id FROM doc WHERE message_id = ?)',
    messageId,
  );
  index.run('DELETE FROM doc WHERE message_id = ?', messageId);
}
