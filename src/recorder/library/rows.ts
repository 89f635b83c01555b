import type { Database, SqlRow } from '../file/database.ts';

/** Stores a row of another session or file with the columns that it has. */
export function insertRow(database: Database, table: Table, row: SqlRow): void {
  const columns = Object.keys(row);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const marks = columns.map(() => '?').join(', ');
  database.run(
    `INSERT INTO ${table} (${names}) VALUES (${marks})`,
    ...columns.map((name) => row[name] ?? null),
  );
}

export type Table = 'chat_sessions' | 'chat_messages' | 'chat_parts';

/** A whole JSON string that is the id of a message or a part. In longer texts its quotes are escaped. */
const ID = /"((?:msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14})"/g;

/**
 * The `data_json` of a part in a session whose messages and parts have other ids. Only data and texts of
 * several rows refer to others; everything else stays byte for byte.
 */
export function renameIds(row: SqlRow, ids: ReadonlyMap<string, string>): SqlRow {
  const { type, data_json: json } = row;
  if (typeof json !== 'string' || typeof type !== 'string') return row;
  if (!type.startsWith('data-') && !json.includes('"continues"')) return row;
  return { ...row, data_json: json.replace(ID, (found, id) => toQuoted(ids.get(id)) ?? found) };
}

function toQuoted(id: string | undefined): string | undefined {
  return id === undefined ? undefined : `"${id}"`;
}

/** Marks a session whose rows are not all there. Lists and searches leave it out. */
export const PARTIAL = "json_set(metadata_json, '$.partial', json('true'))";

/** Takes the mark away: all rows are there. */
export function completeSession(database: Database, sessionId: string): void {
  database.run(
    `UPDATE chat_sessions SET metadata_json = json_remove(metadata_json, '$.partial') WHERE id = ?`,
    sessionId,
  );
}
