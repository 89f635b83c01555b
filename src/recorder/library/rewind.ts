import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Attachment } from '../../base/stream/attachment.ts';
import type { StoredMessage } from '../../base/stream/stored.ts';
import { readMessage } from '../messages.ts';
import type { RecorderStore } from '../recorder.ts';
import { numberAt, textAt } from '../rows.ts';

/** What a rewind hid. */
export interface Rewound {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** How many messages. */
  readonly hidden: number;
  /** The files that calls of them changed, absolute. */
  readonly files: readonly string[];
}

/**
 * Hides a prompt, by default the last one, and everything after it (spec CS-84). Deletes nothing and
 * changes no other column of a message. Fails, with a message for the user, when there is no such prompt
 * or a turn of any window writes the session.
 */
export function rewind(
  store: RecorderStore,
  sessionId: string,
  messageId?: string,
): Outcome<Rewound> {
  const { database, clock } = store;
  return change(store, sessionId, () => {
    const id = messageId ?? findLastPrompt(store, sessionId);
    const prompt = id === undefined ? undefined : readMessage(database, sessionId, id);
    if (prompt?.role !== 'user' || prompt.metadata.hidden_at !== undefined) {
      return failure(id === undefined ? NO_PROMPT : `The session has no prompt "${id}".`);
    }
    const stamp = Math.max(clock.now(), lastStamp(store, sessionId) + 1);
    const files = database.all(CHANGED, sessionId, prompt.id).map((row) => textAt(row, 'path'));
    const hidden = database.run(HIDE, stamp, sessionId, prompt.id);
    return success({ ...toPrompt(prompt), hidden, files });
  });
}

/**
 * Shows again what the last rewind hid; returns how many messages. Fails, with a message for the user,
 * when there was none, something was sent since, or a turn of any window writes the session.
 */
export function unrewind(store: RecorderStore, sessionId: string): Outcome<number> {
  const { database } = store;
  return change(store, sessionId, () => {
    const first = database.get(FIRST_HIDDEN, sessionId, sessionId);
    if (first === undefined) return failure(NOTHING_HIDDEN);
    return success(
      database.run(SHOW, sessionId, numberAt(first, 'sequence'), numberAt(first, 'hidden_at')),
    );
  });
}

/** Whether there is a rewind that can be undone. */
export function canUnrewind({ database }: RecorderStore, sessionId: string): boolean {
  return database.get(FIRST_HIDDEN, sessionId, sessionId) !== undefined;
}

/** Runs in one transaction, while no turn writes the session. */
function change<Result>(
  { database, writers, history, clock }: RecorderStore,
  sessionId: string,
  work: () => Outcome<Result>,
): Outcome<Result> {
  history.invalidate();
  return database.transaction(() => {
    if (writers.isHeld(sessionId)) return failure(IN_USE);
    const outcome = work();
    const sql = 'UPDATE chat_sessions SET updated_at = ? WHERE id = ?';
    if (outcome.ok) database.run(sql, clock.now(), sessionId);
    return outcome;
  });
}

const IN_USE = 'The session is running a turn. Wait for it to finish, or stop it.';
const NO_PROMPT = 'The session has no prompt that could be rewound.';
const NOTHING_HIDDEN =
  'There is no rewind to undo: nothing was rewound, or something was sent since.';

function toPrompt({ parts }: StoredMessage): Pick<Rewound, 'text' | 'attachments'> {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const attachments = parts.flatMap((part) => (part.type === 'file' ? part.data : []));
  return { text: texts.join('\n'), attachments };
}

function findLastPrompt({ database }: RecorderStore, sessionId: string): string | undefined {
  const row = database.get(LAST_PROMPT, sessionId);
  return row === undefined ? undefined : textAt(row, 'id');
}

/** The time of the last rewind that can still be undone. Each has its own, so that they can be told apart. */
function lastStamp({ database }: RecorderStore, sessionId: string): number {
  const row = database.get(FIRST_HIDDEN, sessionId, sessionId);
  return row === undefined ? 0 : numberAt(row, 'hidden_at');
}

const HIDDEN_AT = "json_extract(metadata_json, '$.hidden_at')";
const LAST_PROMPT = `SELECT id FROM chat_messages
  WHERE session_id = ? AND role = 'user' AND ${HIDDEN_AT} IS NULL ORDER BY rowid DESC LIMIT 1`;
const HIDE = `UPDATE chat_messages SET metadata_json = json_set(metadata_json, '$.hidden_at', CAST(? AS INTEGER))
  WHERE session_id = ? AND ${HIDDEN_AT} IS NULL
    AND rowid >= (SELECT rowid FROM chat_messages WHERE id = ?)`;
/** The first of the hidden messages at the end of the session. */
const FIRST_HIDDEN = `SELECT rowid AS sequence, ${HIDDEN_AT} AS hidden_at FROM chat_messages
  WHERE session_id = ? AND ${HIDDEN_AT} IS NOT NULL AND rowid > coalesce(
    (SELECT max(rowid) FROM chat_messages WHERE session_id = ? AND ${HIDDEN_AT} IS NULL), 0)
  ORDER BY rowid LIMIT 1`;
const SHOW = `UPDATE chat_messages SET metadata_json = json_remove(metadata_json, '$.hidden_at')
  WHERE session_id = ? AND rowid >= ? AND ${HIDDEN_AT} = ?`;
const CHANGED = `WITH call AS (
    SELECT part.tool_call_id AS id FROM chat_messages AS message
    JOIN chat_parts AS part ON part.message_id = message.id
    WHERE message.session_id = ?1 AND part.tool_call_id IS NOT NULL
      AND json_extract(message.metadata_json, '$.hidden_at') IS NULL
      AND message.rowid >= (SELECT rowid FROM chat_messages WHERE id = ?2))
  SELECT path FROM chat_changes WHERE session_id = ?1 AND tool_call_id IN (SELECT id FROM call)
  UNION SELECT path FROM chat_entries WHERE session_id = ?1 AND tool_call_id IN (SELECT id FROM call)
  ORDER BY path`;
