import { type Outcome, success } from '../../base/outcome.ts';
import type { RecorderStore } from '../recorder.ts';
import { textAt } from '../rows.ts';
import { PARTIAL } from './rows.ts';
import { inSteps } from './steps.ts';

/**
 * Deletes a session with all its rows, in steps; a host that is killed in between leaves a session that no
 * list shows, and `removePartial` deletes the rest. Fails, with a message for the user, while a turn of any
 * window writes the session.
 */
export async function removeSession(
  store: RecorderStore,
  sessionId: string,
): Promise<Outcome<void>> {
  const { database, writers, history, drop } = store;
  const claimed = database.transaction(() => {
    const outcome = writers.claim(sessionId);
    const sql = `UPDATE chat_sessions SET metadata_json = ${PARTIAL} WHERE id = ?`;
    if (outcome.ok) database.run(sql, sessionId);
    return outcome;
  });
  if (!claimed.ok) return claimed;
  drop(sessionId);
  try {
    await removeRows(store, sessionId);
  } finally {
    history.invalidate();
    writers.release(sessionId);
  }
  return success(undefined);
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

async function removeRows({ database }: RecorderStore, sessionId: string): Promise<void> {
  await inSteps(database, () =>
    TABLES.some((table) => database.run(removeSome(table), sessionId) > 0),
  );
  // The rows of other tables are few, and go with it.
  database.run('DELETE FROM chat_sessions WHERE id = ?', sessionId);
}

/** Children first, so that no deletion cascades to thousands of rows. Contents of files are large. */
const TABLES = ['chat_entries', 'chat_changes', 'chat_parts', 'chat_messages'] as const;

function removeSome(table: (typeof TABLES)[number]): string {
  return `DELETE FROM ${table} WHERE rowid IN
    (SELECT rowid FROM ${table} WHERE session_id = ? LIMIT ${table === 'chat_entries' ? 1 : 20})`;
}
