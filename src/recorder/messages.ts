import type { Clock } from '../base/clock.ts';
import { createId } from '../base/ids.ts';
import { toRecord } from '../base/json.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { MessageMetadata, StoredMessage, StoredPart } from '../base/stream/stored.ts';
import { findUnfinished, type UnfinishedTurn } from '../base/stream/unfinished.ts';
import type { Database, SqlRow } from './file/database.ts';
import type { MessagePage, NewPart } from './records.ts';
import {
  numberAt,
  optionalTextAt,
  readNumber,
  recordAt,
  textAt,
  toPart,
  toPartJson,
} from './rows.ts';

/** Stores the message and its parts in one transaction, before the model sees it (spec CS-92). */
export function addUserMessage(
  database: Database,
  clock: Clock,
  sessionId: string,
  parts: readonly NewPart[],
  metadata: MessageMetadata,
): StoredMessage {
  return addMessage(database, clock, { sessionId, role: 'user', parts, metadata });
}

/** Stores a whole message that no turn writes. */
export function addMessage(
  database: Database,
  clock: Clock,
  message: Pick<StoredMessage, 'sessionId' | 'role' | 'metadata'> & {
    readonly parts: readonly NewPart[];
  },
): StoredMessage {
  const { sessionId, role, parts, metadata } = message;
  const now = clock.now();
  const id = createId('msg', now);
  const stored = parts.map((part): StoredPart => ({ id: createId('prt', now), ...part }));
  database.transaction(() => {
    insertMessage(database, { id, sessionId, role, metadata, now });
    for (const [index, { id: partId, ...part }] of stored.entries()) {
      database.run(
        `INSERT INTO chat_parts (id, message_id, session_id, "index", type, data_json, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[partId, id, sessionId, index, part.type, toPartJson(part), now, now],
      );
    }
    database.run('UPDATE chat_sessions SET updated_at = ? WHERE id = ?', now, sessionId);
  });
  return { id, sessionId, role, metadata, parts: stored, createdAt: now };
}

/** Does nothing when the row already exists. */
export function insertMessage(
  database: Database,
  message: {
    readonly id: string;
    readonly sessionId: string;
    readonly role: StoredMessage['role'];
    readonly metadata: MessageMetadata;
    readonly now: number;
  },
): void {
  const { id, sessionId, role, metadata, now } = message;
  database.run(
    `INSERT INTO chat_messages (id, session_id, role, metadata_json, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING`,
    ...[id, sessionId, role, JSON.stringify(metadata), now, now],
  );
}

/** `sizes` receives the stored characters of each message's parts. */
export function readMessages(
  database: Database,
  sessionId: string,
  sizes = new Map<string, number>(),
): StoredMessage[] {
  const parts = new Map<string, StoredPart[]>();
  for (const row of database.all(PARTS, sessionId)) {
    const messageId = textAt(row, 'message_id');
    const list = parts.get(messageId) ?? [];
    parts.set(messageId, list);
    sizes.set(messageId, (sizes.get(messageId) ?? 0) + toSize([row]));
    joinPart(list, row);
  }
  return database.all(MESSAGES, sessionId).map((row) => {
    const id = textAt(row, 'id');
    if (!sizes.has(id)) sizes.set(id, 0);
    return toMessage(row, parts.get(id) ?? []);
  });
}

/** Undefined when the session has no such message. `sizes` receives the size of one that it has. */
export function readMessage(
  database: Database,
  sessionId: string,
  id: string,
  sizes = new Map<string, number>(),
): StoredMessage | undefined {
  const row = database.get('SELECT * FROM chat_messages WHERE id = ?', id);
  if (row === undefined || textAt(row, 'session_id') !== sessionId) return undefined;
  const parts = database.all(PARTS_OF, id);
  sizes.set(id, toSize(parts));
  return toMessage(row, joinParts(parts));
}

/** The stored characters of parts. */
function toSize(parts: readonly SqlRow[]): number {
  const sizes = parts.map((part) => optionalTextAt(part, 'data_json')?.length ?? 0);
  return sizes.reduce((total, size) => total + size, 0);
}

/**
 * The newest messages before `before`, or the newest of the session, in the order of
 * `readMessages`. Reads only the rows of the page. Fails when the session has no such message.
 */
export function readMessagePage(
  database: Database,
  sessionId: string,
  { before, limit }: { readonly before?: string; readonly limit: number },
): Outcome<MessagePage> {
  const end = before === undefined ? undefined : findSequence(database, sessionId, before);
  if (before !== undefined && end === undefined) {
    return failure('The session has no such message.');
  }
  // Reads one more than requested, to know whether there is an earlier page.
  const found =
    end === undefined
      ? database.all(NEWEST, sessionId, limit + 1)
      : database.all(NEWEST_BEFORE, sessionId, end, limit + 1);
  const messages = found
    .slice(0, limit)
    .reverse()
    .map((row) => toMessage(row, readParts(database, textAt(row, 'id'))));
  const first = messages[0];
  const more = found.length > limit && first !== undefined;
  return success({ messages, ...(more && { before: first.id }) });
}

/** The messages that the session has now, in order and in groups, each of which is read when it is asked for. */
export function* readInGroups(
  database: Database,
  sessionId: string,
  size: number,
): Generator<readonly StoredMessage[]> {
  const ids = database.all(MESSAGE_IDS, sessionId).map((row) => textAt(row, 'id'));
  for (let start = 0; start < ids.length; start += size) {
    yield ids
      .slice(start, start + size)
      .flatMap((id) => readMessage(database, sessionId, id) ?? []);
  }
}

/** The session's last message, if it is an unfinished turn. Call it while no process writes the session. */
export function readUnfinished(database: Database, sessionId: string): UnfinishedTurn | undefined {
  const [row] = database.all(NEWEST, sessionId, 1);
  if (row === undefined) return undefined;
  return findUnfinished([toMessage(row, readParts(database, textAt(row, 'id')))]);
}

function findSequence(database: Database, sessionId: string, id: string): number | undefined {
  const row = database.get(SEQUENCE, id, sessionId);
  return row === undefined ? undefined : numberAt(row, 'sequence');
}

function readParts(database: Database, messageId: string): readonly StoredPart[] {
  return joinParts(database.all(PARTS_OF, messageId));
}

function joinParts(rows: readonly SqlRow[]): readonly StoredPart[] {
  const parts: StoredPart[] = [];
  for (const row of rows) joinPart(parts, row);
  return parts;
}

function toMessage(row: SqlRow, parts: readonly StoredPart[]): StoredMessage {
  return {
    id: textAt(row, 'id'),
    sessionId: textAt(row, 'session_id'),
    role: toRole(textAt(row, 'role')),
    metadata: recordAt(row, 'metadata_json'),
    parts,
    createdAt: readNumber(row, 'created_at'),
  };
}

/** Row ids ascend in write order, whatever happened to the clock. */
const MESSAGES = 'SELECT * FROM chat_messages WHERE session_id = ? ORDER BY rowid';
const SEQUENCE = 'SELECT rowid AS sequence FROM chat_messages WHERE id = ? AND session_id = ?';
const NEWEST = `
  SELECT * FROM chat_messages INDEXED BY chat_messages_order
  WHERE session_id = ? ORDER BY rowid DESC LIMIT ?`;
const NEWEST_BEFORE = `
  SELECT * FROM chat_messages INDEXED BY chat_messages_order
  WHERE session_id = ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`;
const PARTS_OF = 'SELECT * FROM chat_parts WHERE message_id = ? ORDER BY "index", id';
const PARTS = 'SELECT * FROM chat_parts WHERE session_id = ? ORDER BY message_id, "index", id';

/** Joins the rows of a long text, each of which names the first, into one part. */
function joinPart(list: StoredPart[], row: SqlRow): void {
  const json = recordAt(row, 'data_json');
  const part = toPart(row, json);
  // Few rows continue another one; searching for all of them would be quadratic in a long turn.
  const { continues } = json;
  const index =
    continues === undefined ? -1 : list.findLastIndex((earlier) => earlier.id === continues);
  const first = list[index];
  if ((part.type === 'text' || part.type === 'reasoning') && first?.type === part.type) {
    const { id, text } = first;
    list[index] = { ...part, id, text: text + part.text };
  } else {
    list.push(part);
  }
}

function toRole(role: string): StoredMessage['role'] {
  return role === 'user' || role === 'system' ? role : 'assistant';
}

/**
 * The rows unchanged (spec CS-97): the session first, then each message with its parts, read when it is
 * asked for. Each item is whole lines.
 */
export function* readLines(database: Database, sessionId: string): Generator<string> {
  const line = (type: string, row: SqlRow) => `${JSON.stringify({ type, data: toRecord(row) })}\n`;
  for (const row of database.all('SELECT * FROM chat_sessions WHERE id = ?', sessionId)) {
    yield line('session', row);
  }
  const ids = database.all(MESSAGE_IDS, sessionId).map((row) => textAt(row, 'id'));
  for (const id of ids) {
    const message = database.get('SELECT * FROM chat_messages WHERE id = ?', id);
    if (message === undefined) continue;
    const parts = database.all(PARTS_OF, id).map((row) => line('part', row));
    yield [line('message', message), ...parts].join('');
  }
}

const MESSAGE_IDS = 'SELECT id FROM chat_messages WHERE session_id = ? ORDER BY rowid';
