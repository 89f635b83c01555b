import { DamageError, isDamage } from './faults.ts';
import type { DatabaseSync, SQLOutputValue } from './sqlite.ts';

/** What could be read of a damaged database. */
export interface Salvaged {
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** False when some rows could not be read. */
  readonly whole: boolean;
}

/**
 * Copies what can be read of a damaged database, table by table, into an empty one with our schema. Row
 * ids stay, because messages are ordered by them. Damaged pages are skipped. Throws when the new file
 * can't be written.
 */
export function salvage(from: DatabaseSync, to: DatabaseSync): Salvaged {
  to.exec('PRAGMA foreign_keys = OFF');
  let whole = true;
  for (const table of ordinaryTables(to)) {
    to.exec('BEGIN');
    if (!copyTable(from, to, table)) whole = false;
    to.exec('COMMIT');
  }
  const count = (table: string) =>
    Number(Object.values(to.prepare(`SELECT count(*) FROM ${table}`).get() ?? {})[0]);
  return {
    sessions: count('chat_sessions'),
    messages: count('chat_messages'),
    parts: count('chat_parts'),
    whole,
  };
}

/** Those of full-text indexes are built anew from these. */
function ordinaryTables(to: DatabaseSync): readonly string[] {
  return to
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'));
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRowId: boolean;
}

/** False when some of it could not be read. */
function copyTable(from: DatabaseSync, to: DatabaseSync, table: string): boolean {
  let known: readonly Column[];
  try {
    known = getColumns(from, table);
    // A table of a later version.
    if (known.length === 0) return hasSchema(from);
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
  const columns = getColumns(to, table).filter(({ name }) =>
    known.some((other) => other.name === name),
  );
  return insertRows(to, { table, columns }, readRows(from, table, columns));
}

function hasSchema(from: DatabaseSync): boolean {
  return from.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() !== undefined;
}

function getColumns(database: DatabaseSync, table: string): readonly Column[] {
  const rows = database.prepare(`PRAGMA table_info("${table}")`).all();
  return rows.map(({ name, type, pk }) => ({
    name: String(name),
    type: String(type),
    isRowId: pk === 1 && String(type) === 'INTEGER',
  }));
}

type Row = Readonly<Record<string, SQLOutputValue>>;

function insertRows(
  to: DatabaseSync,
  { table, columns }: { readonly table: string; readonly columns: readonly Column[] },
  rows: Iterable<Row | undefined>,
): boolean {
  const withId = !columns.some(({ isRowId }) => isRowId);
  const names = [...(withId ? ['rowid'] : []), ...columns.map(({ name }) => `"${name}"`)];
  const insert = to.prepare(
    `INSERT OR IGNORE INTO "${table}" (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  let whole = true;
  for (const row of rows) {
    if (row === undefined || !columns.every(({ name, type }) => fits(row[name], type))) {
      whole = false;
      continue;
    }
    const values = columns.map((column) => toReadable(row[column.name] ?? null, column));
    if (columns.some(({ name }, at) => values[at] !== (row[name] ?? null))) whole = false;
    const id = withId ? [row[ROW_ID] ?? null] : [];
    if (Number(insert.run(...id, ...values).changes) === 0) whole = false;
  }
  return whole;
}

/** A damaged row can have values that nobody wrote. */
function fits(value: SQLOutputValue | undefined, type: string): boolean {
  if (value === null || value === undefined) return true;
  if (type === 'TEXT') return typeof value === 'string';
  if (type === 'INTEGER') return typeof value === 'bigint';
  if (type === 'REAL') return typeof value === 'number' || typeof value === 'bigint';
  return value instanceof Uint8Array;
}

/** A number that nobody could read again would cost its row, and the list of all sessions. */
function toReadable(value: SQLOutputValue, { name, isRowId }: Column): SQLOutputValue {
  if (typeof value !== 'bigint' || isRowId) return value;
  const most = name.endsWith('_at') ? LAST_TIME : BigInt(Number.MAX_SAFE_INTEGER);
  return value > most || value < -most ? 0n : value;
}

/** The last time that a `Date` can be, in milliseconds. */
const LAST_TIME = 8_640_000_000_000_000n;

const ROW_ID = '#';

/** The rows that can be read, in order; undefined for each place where some could not. */
function* readRows(
  from: DatabaseSync,
  table: string,
  columns: readonly Column[],
): Generator<Row | undefined> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const sql = `SELECT rowid AS "${ROW_ID}", ${names} FROM "${table}" NOT INDEXED WHERE rowid > ? ORDER BY rowid`;
  let after = LEAST;
  for (;;) {
    try {
      const select = from.prepare(sql);
      select.setReadBigInts(true);
      for (const row of select.iterate(after)) {
        const id = BigInt(String(row[ROW_ID]));
        // A damaged page can lead back to an earlier one.
        if (id <= after) throw new DamageError('The rows are in no order.');
        after = id;
        yield row;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    yield undefined;
    const next = findReadable(from, table, after);
    if (next === undefined || next <= after) return;
    after = next;
  }
}

const LEAST = -1n;
const GREATEST = 2n ** 62n;

/** More rows than one page holds; larger steps could pass over a sound page. */
const SINGLE_STEPS = 4096;

/** The row id after which reading may go on; undefined when nothing behind `after` can be read. */
function findReadable(from: DatabaseSync, table: string, after: bigint): bigint | undefined {
  const look = createLook(from, table);
  const next = look(after);
  // The row can be found but not read: only it is skipped.
  if (next !== 'damaged') return next;
  let step = 1n;
  for (let tries = 1; after + step < GREATEST; tries++) {
    const found = look(after + step);
    if (found !== 'damaged') return found === undefined ? undefined : found - 1n;
    step = tries < SINGLE_STEPS ? step + 1n : step * 2n;
  }
  return undefined;
}

type Look = (after: bigint) => bigint | undefined | 'damaged';

/** Finds the first row id behind another, without reading the row. */
function createLook(from: DatabaseSync, table: string): Look {
  const sql = `SELECT rowid AS id FROM "${table}" NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT 1`;
  return (after) => {
    try {
      const select = from.prepare(sql);
      select.setReadBigInts(true);
      const row = select.get(after);
      return row === undefined ? undefined : BigInt(String(row['id']));
    } catch (error) {
      if (!isDamage(error)) throw error;
      return 'damaged';
    }
  };
}
