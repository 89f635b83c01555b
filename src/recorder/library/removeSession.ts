import { type Outcome, success } from '../../base/outcome.ts';
import type { Database } from '../file/database.ts';
import type { RecorderStore } from '../recorder.ts';
import { textAt } from '../rows.ts';
import { PARTIAL } from './rows.ts';
import { inSteps } from './steps.ts';

/**
 * Deletes a session and those that it started, with all their rows, in steps; a host that is killed in
 * between leaves sessions that no list shows, and `removePartial` deletes the rest. Resolves to the ids of
 * what was deleted. Fails, with a message for the user, while a turn of any window writes one of them.
 */
export async function removeSession(
  store: RecorderStore,
  sessionId: string,
): Promise<Outcome<readonly string[]>> {
  const claimed = store.database.transaction(() => claimTree(store, sessionId));
  // Another window is deleting it: no list shows it any more.
  if (!claimed.ok && store.database.get(PARTIAL_SESSION, sessionId)) return success([]);
  if (!claimed.ok) return claimed;
  try {
    await removeRows(store, claimed.data);
  } finally {
    releaseRemoved(store, claimed.data);
  }
  return claimed;
}

/** Deletes what a killed host left of sessions that it copied, imported or deleted. */
export async function removePartial(store: RecorderStore): Promise<void> {
  for (const row of store.database.all(PARTIAL_SESSIONS)) {
    // A live host is still at it.
    await removeSession(store, textAt(row, 'id'));
  }
}

const PARTIAL_SESSIONS =
  "SELECT id FROM chat_sessions WHERE json_extract(metadata_json, '$.partial') IS NOT NULL";
const PARTIAL_SESSION = `${PARTIAL_SESSIONS} AND id = ?`;

/**
 * Claims a session and all that it started, and takes them out of every list. Call it in a transaction, and
 * `releaseRemoved` in any case. Returns their ids, those that were started first. Fails while a turn of any
 * window writes one of them.
 */
export function claimTree(
  { database, writers }: RecorderStore,
  sessionId: string,
): Outcome<readonly string[]> {
  const ids = listTree(database, sessionId);
  for (const [at, id] of ids.entries()) {
    const claimed = writers.claim(id);
    if (claimed.ok) continue;
    writers.release(...ids.slice(0, at));
    return claimed;
  }
  const sql = `UPDATE chat_sessions SET metadata_json = ${PARTIAL} WHERE id = ?`;
  for (const id of ids) database.run(sql, id);
  return success(ids);
}

/** The session and all that it started, itself last. */
export function listTree(database: Database, sessionId: string): readonly string[] {
  return database
    .all(TREE, sessionId)
    .map((row) => textAt(row, 'id'))
    .reverse();
}

/** UNION ends also where a damaged history has a circle. */
const TREE = `
  WITH RECURSIVE started(id) AS (
    SELECT ? UNION SELECT each.id FROM chat_sessions AS each JOIN started ON each.parent_id = started.id
  ) SELECT id FROM started`;

/** Deletes the rows of claimed sessions in steps. */
export async function removeRows(store: RecorderStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) store.drop(id);
  const left = [...ids];
  await inSteps(store.database, () => removeSome(store.database, left));
}

/** Ends the claims on sessions that were deleted, or could not be. */
export function releaseRemoved(store: RecorderStore, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const { database, history, writers } = store;
  database.get('PRAGMA secure_delete = FAST');
  database.emptyLog();
  history.invalidate();
  writers.release(...ids);
}

/** Deletes some rows of the first session that is left. Whether it did. */
function removeSome(database: Database, left: string[]): boolean {
  const [id] = left;
  if (id === undefined) return false;
  // What is deleted must not stay readable in the file.
  database.get('PRAGMA secure_delete = ON');
  if (TABLES.some((table) => database.run(REMOVE[table], id) > 0)) return true;
  // The rows of other tables are few, and go with it.
  database.run('DELETE FROM chat_sessions WHERE id = ?', id);
  left.shift();
  return true;
}

/** Children first, so that no deletion cascades to thousands of rows. Contents of files are large. */
const TABLES = ['chat_entries', 'chat_changes', 'chat_parts', 'chat_messages'] as const;

const toRemove = (table: (typeof TABLES)[number], rows: number) =>
  `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE session_id = ? LIMIT ${rows})`;

const REMOVE: Readonly<Record<(typeof TABLES)[number], string>> = {
  chat_entries: toRemove('chat_entries', 1),
  chat_changes: toRemove('chat_changes', 20),
  chat_parts: toRemove('chat_parts', 20),
  chat_messages: toRemove('chat_messages', 20),
};
