import { isDeeperThan, isRecord, parseJson, toRecord } from '../../base/json.ts';
import type { Database, SqlRow } from '../file/database.ts';
import { numberAt, optionalTextAt, textAt } from '../rows.ts';
import type { Line } from './lines.ts';
import type { Table } from './rows.ts';

/** A line of an export (spec CS-97). */
export interface ExportedRow {
  readonly table: Table;
  readonly row: SqlRow;
}

/** Parses the lines of an export in their order. Throws an error that names the line. */
export type ParseRow = (line: Line) => ExportedRow;

/** A parser that has seen no line yet. The columns are those of this version's tables. */
export function createParseRow(database: Database): ParseRow {
  const columns = new Map(
    Object.values(TABLES).map((table) => [table, readColumns(database, table)]),
  );
  const seen = new Set<string>();
  let session: string | undefined;
  let message: string | undefined;

  return ({ text, number }) => {
    const refuse = (problem: string): never => {
      throw new Error(`line ${number}: ${problem}`);
    };
    const { type, data } = toRecord(parseJson(text));
    if (!isRecord(data) || !isType(type)) {
      return refuse('It is not a line of an exported session: {"type": …, "data": {…}}.');
    }
    const table = TABLES[type];
    const row = parseColumns(columns.get(table) ?? [], data, refuse);
    const id = textAt(row, 'id');
    if (!PATTERNS[type].test(id)) refuse(`"${id}" is not the id of a ${type}.`);
    if (seen.has(id)) refuse(`The id ${id} is there twice.`);
    seen.add(id);
    if ((session === undefined) !== (type === 'session')) {
      refuse('An export has one session, in its first line.');
    }
    if (type === 'session') session = id;
    else if (textAt(row, 'session_id') !== session) refuse('It belongs to another session.');
    if (type === 'message') message = id;
    if (type === 'part' && textAt(row, 'message_id') !== message) {
      refuse('A part follows the message that it belongs to.');
    }
    return { table, row };
  };
}

type RowType = 'session' | 'message' | 'part';

const TABLES: Readonly<Record<RowType, Table>> = {
  session: 'chat_sessions',
  message: 'chat_messages',
  part: 'chat_parts',
};

/** Names of folders are made of them. */
const PATTERNS: Readonly<Record<RowType, RegExp>> = {
  session: /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/,
  message: /^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/,
  part: /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/,
};

function isType(type: unknown): type is RowType {
  return typeof type === 'string' && Object.hasOwn(TABLES, type);
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly mayLack: boolean;
  readonly mayBeNull: boolean;
}

function readColumns(database: Database, table: Table): readonly Column[] {
  return database.all(`PRAGMA table_info(${table})`).map((row) => {
    const mayBeNull = numberAt(row, 'notnull') === 0 && numberAt(row, 'pk') === 0;
    const mayLack = mayBeNull || optionalTextAt(row, 'dflt_value') !== undefined;
    return { name: textAt(row, 'name'), type: textAt(row, 'type'), mayLack, mayBeNull };
  });
}

function parseColumns(
  columns: readonly Column[],
  data: Readonly<Record<string, unknown>>,
  refuse: (problem: string) => never,
): SqlRow {
  const row: Record<string, SqlRow[string]> = {};
  for (const key of Object.keys(data)) {
    if (columns.some(({ name }) => name === key)) continue;
    refuse(`The field "${key}" is unknown. If a newer Gatehouse exported it, update this one.`);
  }
  for (const column of columns) {
    const { name, mayLack } = column;
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === undefined && !mayLack) refuse(`The field "${name}" is missing.`);
    if (value !== undefined) row[name] = parseValue(column, value, refuse);
  }
  return row;
}

function parseValue(
  { name, type, mayBeNull }: Column,
  value: unknown,
  refuse: (problem: string) => never,
): SqlRow[string] {
  if (value === null && mayBeNull) return null;
  if (type === 'TEXT') {
    if (typeof value !== 'string') return refuse(`"${name}" must be a string.`);
    if (name.endsWith('_json') && isDeeperThan(value, MOST_DEPTH)) {
      return refuse(`"${name}" is nested more than ${MOST_DEPTH} deep.`);
    }
    if (name.endsWith('_json') && !hasShape(name, parseJson(value))) {
      return refuse(`"${name}" must be the JSON of an object.`);
    }
    if (name === 'role' && !['user', 'assistant', 'system'].includes(value)) {
      return refuse('"role" must be user, assistant or system.');
    }
    return value;
  }
  if (typeof value !== 'number') return refuse(`"${name}" must be a number.`);
  const isFit = type === 'REAL' ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (!isFit) return refuse(`"${name}" must be ${type === 'REAL' ? 'finite' : 'an integer'}.`);
  if (name.endsWith('_at') && (value < 0 || value > LATEST)) {
    return refuse(`"${name}" must be a time between 1970 and 9999, in milliseconds.`);
  }
  return Math.abs(value) <= LARGEST ? value : refuse(`"${name}" is too large.`);
}

function hasShape(name: string, value: unknown): boolean {
  return name === 'permissions_json' ? Array.isArray(value) : isRecord(value);
}

/** What is deeper can be parsed and not be written again, so that the session could never be opened. */
const MOST_DEPTH = 1000;

/** One session with a later time could not be listed, and no other one with it. */
const LATEST = Date.UTC(9999, 11, 31);

/** Sums of some such numbers can still be read. */
const LARGEST = 2 ** 50;
