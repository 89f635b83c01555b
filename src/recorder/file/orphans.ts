import type { DatabaseSync, SQLOutputValue } from './sqlite.ts';

/** The title of a session whose own row could not be read. */
const RECOVERED_TITLE = 'Recovered session';

/**
 * Gives rows whose session or message could not be read a new one, so that they stay readable. The folder
 * of such a session is unknown. Then builds full-text indexes anew.
 */
export function adoptOrphans(to: DatabaseSync): void {
  to.exec('BEGIN');
  for (const table of tablesWith(to, 'session_id')) {
    if (table !== 'chat_writers') to.prepare(adoptSessions(table)).run(METADATA);
  }
  adoptParts(to);
  for (const { table, rowid } of to.prepare('PRAGMA foreign_key_check').all()) {
    to.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(rowid ?? null);
  }
  to.exec('COMMIT');
  for (const name of getNames(to, 'virtual')) rebuild(to, name);
}

const METADATA = JSON.stringify({ title: RECOVERED_TITLE });

function adoptSessions(table: string): string {
  return `INSERT INTO chat_sessions (id, agent, metadata_json, created_at, updated_at)
    SELECT session_id, 'gatehouse', ?, min(created_at), max(created_at) FROM "${table}"
    WHERE session_id NOT IN (SELECT id FROM chat_sessions) GROUP BY session_id`;
}

function tablesWith(to: DatabaseSync, column: string): readonly string[] {
  return getNames(to, 'table').filter((name) => {
    const names = to.prepare(`PRAGMA table_info("${name}")`).all();
    const has = (wanted: string) => names.some((each) => each['name'] === wanted);
    return has(column) && (has('created_at') || name === 'chat_writers');
  });
}

function getNames(to: DatabaseSync, type: string): readonly string[] {
  const sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = ?";
  return to
    .prepare(sql)
    .all(type)
    .map(({ name }) => String(name));
}

/**
 * Ids ascend with time, so a lost message belongs behind the one with the next smaller id. A damaged id says
 * nothing of its place: what has one comes last.
 */
function adoptParts(to: DatabaseSync): void {
  const insert = to.prepare(`
    INSERT INTO chat_messages (rowid, id, session_id, role, metadata_json, created_at, updated_at)
    VALUES (?, ?, ?, ?, '{"finish_reason":"other"}', ?, ?)`);
  for (const lost of to.prepare(LOST_MESSAGES).all()) {
    const [id, sessionId, at] = ['id', 'session_id', 'at'].map((name) => toValue(lost[name]));
    const after = MESSAGE_ID.test(String(id))
      ? findBefore(to, toValue(id), toValue(sessionId))
      : null;
    const free = after === null ? to.prepare(END).get() : to.prepare(FREE).get({ after });
    const role = findRole(to, lost, after ?? toValue(free?.['free']));
    insert.run(
      toValue(free?.['free']),
      toValue(id),
      toValue(sessionId),
      role,
      toValue(at),
      toValue(at),
    );
  }
}

const MESSAGE_ID = /^msg_[0-9A-Za-z]+$/;

/** The row id behind which the message belongs: of its session if that has an earlier one. */
function findBefore(
  to: DatabaseSync,
  id: SQLOutputValue,
  sessionId: SQLOutputValue,
): SQLOutputValue {
  const own = to.prepare(`${BEFORE} AND session_id = ? ORDER BY id DESC LIMIT 1`);
  const any = to.prepare(`${BEFORE} ORDER BY id DESC LIMIT 1`);
  return toValue((own.get(id, sessionId) ?? any.get(id))?.['rowid'] ?? 0);
}

const BEFORE = "SELECT rowid FROM chat_messages WHERE id < ? AND id GLOB 'msg_[0-9A-Za-z]*'";
const END = 'SELECT coalesce(max(rowid), 0) + 1 AS free FROM chat_messages';

/** Rows that were lost left room, as a rule at once. */
const FREE = `
  SELECT CASE WHEN $after + 1 NOT IN (SELECT rowid FROM chat_messages) THEN $after + 1
    ELSE (SELECT min(rowid) + 1 FROM chat_messages AS message WHERE rowid > $after
      AND NOT EXISTS (SELECT 1 FROM chat_messages WHERE rowid = message.rowid + 1)) END AS free`;

const LOST_MESSAGES = `
  SELECT message_id AS id, session_id, min(created_at) AS at,
    count(*) FILTER (WHERE type NOT IN ('text', 'file', 'data-review')) AS answers
  FROM chat_parts WHERE message_id NOT IN (SELECT id FROM chat_messages)
  GROUP BY message_id ORDER BY message_id`;

/** Only answers have steps and calls. A text alone follows the other side's message. */
function findRole(
  to: DatabaseSync,
  { answers, session_id }: Readonly<Record<string, SQLOutputValue>>,
  after: SQLOutputValue,
): string {
  if (Number(answers) > 0) return 'assistant';
  const sql =
    'SELECT role FROM chat_messages WHERE session_id = ? AND rowid <= ? ORDER BY rowid DESC LIMIT 1';
  const before = to.prepare(sql).get(toValue(session_id), after);
  return before?.['role'] === 'user' ? 'assistant' : 'user';
}

function toValue(value: SQLOutputValue | undefined): SQLOutputValue {
  return value ?? null;
}

/** An index without a content of its own can't be rebuilt, and is filled as sessions change. */
function rebuild(to: DatabaseSync, name: string): void {
  try {
    to.exec(`INSERT INTO "${name}" ("${name}") VALUES ('rebuild')`);
  } catch {
    // It only finds less: nothing is lost.
  }
}
