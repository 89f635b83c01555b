import { createId } from '../../base/ids.ts';
import { fieldAt, parseJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { SqlRow } from '../file/database.ts';
import { closeOrphans } from '../orphanedCalls.ts';
import type { RecorderStore } from '../recorder.ts';
import { recordAt, textAt } from '../rows.ts';
import { removeSession } from './removeSession.ts';
import { completeSession, insertRow, renameIds } from './rows.ts';
import { inSteps } from './steps.ts';

/**
 * Copies a session's messages, up to and with `messageId`, to a new session (spec CS-85): new ids, parts as
 * they are, totals of what was copied. Hidden messages, rules of the session that allow something (spec CS-16) and its
 * approval mode are left out, unless that is Read Only. A session that another one started stays under it. Resolves
 * to the new id. Fails, with a message for the user, when a turn of any window writes the session, or the
 * message is not in it.
 */
export async function forkSession(
  store: RecorderStore,
  sessionId: string,
  messageId?: string,
): Promise<Outcome<string>> {
  const { database, writers } = store;
  const begun = database.transaction(() => begin(store, sessionId, messageId));
  if (!begun.ok) return begun;
  const { id, messages } = begun.data;
  const ids = new Map(messages.map((message) => [message, createId('msg')]));
  const left = [...messages];
  let isWhole = false;
  try {
    await inSteps(database, () => {
      const [message] = left;
      if (message === undefined || !copyMessage(store, message, { sessionId: id, ids }))
        return false;
      left.shift();
      return left.length > 0;
    });
    if (left.length > 0) return failure(GONE);
    database.transaction(() => {
      sumUsage(store, id);
      completeSession(database, id);
    });
    isWhole = true;
    return success(id);
  } finally {
    writers.release(id);
    if (!isWhole) await removeSession(store, id).catch(() => undefined);
  }
}

const GONE = 'The session is gone, perhaps deleted in another window. Nothing was copied.';

interface Begun {
  readonly id: string;
  /** The ids of the messages to copy. */
  readonly messages: readonly string[];
}

function begin(
  { database, writers, clock, history }: RecorderStore,
  sessionId: string,
  last: string | undefined,
): Outcome<Begun> {
  const source = database.get('SELECT * FROM chat_sessions WHERE id = ?', sessionId);
  if (source === undefined) return failure('There is no such session.');
  if (writers.isHeld(sessionId)) return failure(IN_USE);
  // Nothing continues the copy of a call that a dead process left behind.
  history.invalidate();
  closeOrphans(database, clock, sessionId);
  const all = database.all(VISIBLE, sessionId).map((row) => textAt(row, 'id'));
  const end = last === undefined ? all.length : all.indexOf(last) + 1;
  if (end === 0 && last !== undefined) return failure(`The session has no message "${last}".`);
  const now = clock.now();
  const id = createId('ses', now);
  insertRow(database, 'chat_sessions', {
    ...pick(source, ['agent', 'workspace_root', 'model_json', 'parent_id', 'parent_message_id']),
    ...{ id, created_at: now, updated_at: now, metadata_json: toMetadata(source) },
    permissions_json: toTightening(source),
  });
  const claimed = writers.claim(id);
  return claimed.ok ? success({ id, messages: all.slice(0, end) }) : claimed;
}

const IN_USE =
  'The session is running a turn, perhaps in another window. Wait for it to finish, or stop it.';

const VISIBLE = `SELECT id FROM chat_messages
  WHERE session_id = ? AND json_extract(metadata_json, '$.hidden_at') IS NULL ORDER BY rowid`;

function pick(row: SqlRow, columns: readonly string[]): SqlRow {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

/** The rules of a session that grant nothing: what the user denied, and what can't be read. */
function toTightening(source: SqlRow): string {
  const text = textAt(source, 'permissions_json');
  const rules = parseJson(text);
  if (!Array.isArray(rules)) return text;
  return JSON.stringify(rules.filter((rule) => fieldAt(rule, 'action') !== 'allow'));
}

/** The approval mode is a grant like the session's rules, so it is not copied. *Read Only* grants nothing. */
function toMetadata(source: SqlRow): string {
  const { title, found_tools, approval } = recordAt(source, 'metadata_json');
  const forked_from = textAt(source, 'id');
  const kept = {
    ...(title !== undefined && { title }),
    ...(found_tools !== undefined && { found_tools }),
    ...(approval === 'readOnly' && { approval }),
  };
  return JSON.stringify({ ...kept, forked_from, partial: true });
}

/**
 * The message is visible in the copy, also when it was rewound since the copy began. False when it is gone, with
 * the session.
 */
function copyMessage(
  { database }: RecorderStore,
  messageId: string,
  copy: { readonly sessionId: string; readonly ids: ReadonlyMap<string, string> },
): boolean {
  const message = database.get('SELECT * FROM chat_messages WHERE id = ?', messageId);
  const id = copy.ids.get(messageId);
  if (message === undefined || id === undefined) return false;
  insertRow(database, 'chat_messages', { ...toVisible(message), id, session_id: copy.sessionId });
  const parts = database.all(PARTS, messageId);
  const ids = new Map(copy.ids);
  for (const part of parts) ids.set(textAt(part, 'id'), createId('prt'));
  for (const part of parts) {
    const own = { id: ids.get(textAt(part, 'id')) ?? null, message_id: id };
    insertRow(database, 'chat_parts', {
      ...renameIds(part, ids),
      ...own,
      session_id: copy.sessionId,
    });
  }
  return true;
}

function toVisible(message: SqlRow): SqlRow {
  const { hidden_at, ...metadata } = recordAt(message, 'metadata_json');
  return hidden_at === undefined
    ? message
    : { ...message, metadata_json: JSON.stringify(metadata) };
}

const PARTS = 'SELECT * FROM chat_parts WHERE message_id = ? ORDER BY "index", id';

function sumUsage({ database }: RecorderStore, sessionId: string): void {
  // An imported message may claim any usage, and a larger number could not be read again.
  const sum = (
    name: string,
  ) => `(SELECT CAST(min(max(total(json_extract(metadata_json, '$.usage.${name}')), 0), ${2 ** 50}) AS INTEGER)
    FROM chat_messages WHERE session_id = chat_sessions.id)`;
  database.run(
    `UPDATE chat_sessions SET prompt_tokens = ${sum('input')}, completion_tokens = ${sum('output')},
       reasoning_tokens = ${sum('reasoning')}, cache_read = ${sum('cache_read')},
       cache_write = ${sum('cache_write')} WHERE id = ?`,
    sessionId,
  );
  database.run(
    `UPDATE chat_sessions SET total_tokens = prompt_tokens + completion_tokens + cache_read + cache_write
     WHERE id = ?`,
    sessionId,
  );
}
