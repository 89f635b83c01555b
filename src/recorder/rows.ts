import { createId } from '../base/ids.ts';
import { isRecord, parseJson, toRecord } from '../base/json.ts';
import type { ProviderMetadata } from '../base/stream/chunk.ts';
import { isToolBody, type PartBody } from '../base/stream/fold.ts';
import type { StoredPart, StoredToolPart, ToolState } from '../base/stream/stored.ts';
import { parseAttachment, toAttachmentJson } from './attachmentRow.ts';
import type { Database, SqlRow } from './file/database.ts';
import type { SQLInputValue } from './file/sqlite.ts';
import type { StoredSession } from './records.ts';

export function textAt(row: SqlRow, key: string): string {
  const value = row[key];
  if (typeof value === 'string') return value;
  throw new Error(`The history has no text in column ${key}.`);
}

export function numberAt(row: SqlRow, key: string): number {
  const value = row[key];
  if (typeof value === 'number') return value;
  throw new Error(`The history has no number in column ${key}.`);
}

/** Zero for what is no number, or none that a date can hold: a damaged row must not hide the others. */
export function readNumber(row: SqlRow, key: string): number {
  const value = row[key];
  return typeof value === 'number' && Math.abs(value) <= LARGEST_TIME ? value : 0;
}

/** Milliseconds of the latest date. */
const LARGEST_TIME = 8.64e15;

export function optionalTextAt(row: SqlRow, key: string): string | undefined {
  const value = row[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Parses an object in a JSON column. Invalid JSON gives an empty object, so that the rest of the
 * row stays readable.
 */
export function recordAt(row: SqlRow, key: string): Readonly<Record<string, unknown>> {
  return toRecord(parseJson(optionalTextAt(row, key) ?? '{}'));
}

export function toSession(row: SqlRow): StoredSession {
  const metadata = recordAt(row, 'metadata_json');
  const { title, pinned } = metadata;
  const { provider_id, model_id } = recordAt(row, 'model_json');
  return {
    id: textAt(row, 'id'),
    agent: optionalTextAt(row, 'agent') ?? '',
    parent: optionalTextAt(row, 'parent_id'),
    cwd: optionalTextAt(row, 'workspace_root') ?? '',
    title: typeof title === 'string' ? title : undefined,
    pinned: pinned === true,
    archived: row['archived_at'] !== null,
    model:
      typeof provider_id === 'string' && typeof model_id === 'string'
        ? { provider_id, model_id }
        : undefined,
    metadata,
    usage: {
      input: readNumber(row, 'prompt_tokens'),
      output: readNumber(row, 'completion_tokens'),
      reasoning: readNumber(row, 'reasoning_tokens'),
      cache_read: readNumber(row, 'cache_read'),
      cache_write: readNumber(row, 'cache_write'),
      total: readNumber(row, 'total_tokens'),
      cost_usd: readNumber(row, 'cost_usd'),
    },
    createdAt: readNumber(row, 'created_at'),
    updatedAt: readNumber(row, 'updated_at'),
  };
}

/** The `data_json` of a part, with snake_case keys (spec CS-71). */
export function toPartJson(part: PartBody): string {
  if (part.type === 'file') {
    return JSON.stringify({ type: part.type, data: toAttachmentJson(part.data) });
  }
  if (!isToolBody(part)) return JSON.stringify(part);
  const { toolCallId, toolName, inputText, approvalId, errorText, ...rest } = part;
  const { providerMetadata, ...same } = rest;
  return JSON.stringify({
    ...same,
    tool_call_id: toolCallId,
    tool_name: toolName,
    input_text: inputText,
    approval_id: approvalId,
    error_text: errorText,
    provider_metadata: providerMetadata,
  });
}

/**
 * A part from its row and `data_json`. A part that is damaged or from a later version becomes data.
 */
export function toPart(row: SqlRow, json: Readonly<Record<string, unknown>>): StoredPart {
  const id = textAt(row, 'id');
  const type = optionalTextAt(row, 'type') ?? '';
  const { text, data } = json;
  if (type === 'text' || type === 'reasoning') {
    return { id, type, text: typeof text === 'string' ? text : '', ...toMetadata(json) };
  }
  if (type === 'file') return { id, type, data: parseAttachment(data) };
  if (type.startsWith('tool-')) return toToolPart(id, row, json);
  // Earlier versions called a plan a to-do list.
  if (type === 'data-todo') return { id, type: 'data-plan', data };
  return { id, type: `data-${type.replace(/^data-/, '')}`, data };
}

function toToolPart(
  id: string,
  row: SqlRow,
  json: Readonly<Record<string, unknown>>,
): StoredToolPart {
  const { tool_name, input, input_text, approval_id, begun, output, error_text, display, hosted } =
    json;
  const toolName = typeof tool_name === 'string' ? tool_name : '';
  return {
    id,
    type: `tool-${toolName}`,
    toolCallId: optionalTextAt(row, 'tool_call_id') ?? '',
    toolName,
    state: toToolState(row),
    ...(input !== undefined && { input }),
    ...(typeof input_text === 'string' && { inputText: input_text }),
    ...(typeof approval_id === 'string' && { approvalId: approval_id }),
    ...(begun === true && { begun }),
    ...(typeof error_text === 'string' && { errorText: error_text }),
    ...(isEnvelope(output) && { output }),
    ...(isDisplay(display) && { display }),
    ...(isRecord(hosted) && { hosted }),
    ...toMetadata(json),
  };
}

/** What is no object of objects can't be sent back, so it is left out. */
function toMetadata({ provider_metadata }: Readonly<Record<string, unknown>>): {
  readonly providerMetadata?: ProviderMetadata;
} {
  if (!isRecord(provider_metadata)) return {};
  const fields = Object.entries(provider_metadata).map(([name, value]) => [name, toRecord(value)]);
  return { providerMetadata: Object.fromEntries(fields) };
}

const STATES: readonly ToolState[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
];

function toToolState(row: SqlRow): ToolState {
  const state = optionalTextAt(row, 'tool_state');
  return STATES.find((known) => known === state) ?? 'output-error';
}

function isEnvelope(value: unknown): value is NonNullable<StoredToolPart['output']> {
  const { type, metadata } = toRecord(value);
  return (type === 'output' || type === 'error') && typeof metadata === 'object';
}

function isDisplay(value: unknown): value is NonNullable<StoredToolPart['display']> {
  return typeof value === 'object' && value !== null;
}

/** Longer texts continue in a new row, because rewriting one growing row is quadratic. */
const SEGMENT_CHARACTERS = 8_192;

/** The rows of one part: one, or several for a long text. */
export interface PartRows {
  readonly firstId: string;
  readonly firstIndex: number;
  id: string;
  index: number;
  /** The text of the last row; earlier rows are complete. */
  tail: string;
}

/** The rows of a part of which nothing is written yet. */
export function toRows(id: string, index: number): PartRows {
  return { firstId: id, firstIndex: index, id, index, tail: '' };
}

/** Plans all rows of a part again, from its first one. */
export function restart(own: PartRows, body: PartBody): void {
  own.id = own.firstId;
  own.index = own.firstIndex;
  own.tail = body.type === 'text' || body.type === 'reasoning' ? body.text : '';
}

/** The indexes of a message's stored rows by their ids, in order. */
export function readIndexes(database: Database, messageId: string): ReadonlyMap<string, number> {
  const sql = 'SELECT id, "index" FROM chat_parts WHERE message_id = ? ORDER BY "index"';
  return new Map(
    database.all(sql, messageId).map((row) => [textAt(row, 'id'), numberAt(row, 'index')]),
  );
}

/** Deletes what continues a long text: it is written again, in rows with other ids. */
export function removeContinued(
  database: Database,
  messageId: string,
  rows: readonly PartRows[],
): void {
  const sql =
    'DELETE FROM chat_parts WHERE message_id = ? AND id NOT IN (SELECT value FROM json_each(?))';
  database.run(sql, messageId, JSON.stringify(rows.map(({ firstId }) => firstId)));
}

/** A row to be written. */
export interface PlannedRow {
  readonly id: string;
  readonly index: number;
  readonly body: PartBody;
  readonly json: string;
}

/**
 * The rows to write for a part, including the completed previous row of a long text. Updates `own`.
 */
export function planRows(body: PartBody, own: PartRows, nextIndex: () => number): PlannedRow[] {
  if (body.type !== 'text' && body.type !== 'reasoning') {
    return [{ id: own.id, index: own.index, body, json: toPartJson(body) }];
  }
  const planned: PlannedRow[] = [];
  for (;;) {
    const end = own.tail.length > SEGMENT_CHARACTERS ? cutAt(own.tail) : own.tail.length;
    const text = own.tail.slice(0, end);
    const continues = own.id === own.firstId ? {} : { continues: own.firstId };
    const last = end === own.tail.length && body.providerMetadata;
    const signed = last ? { provider_metadata: last } : {};
    const json = JSON.stringify({ type: body.type, text, ...continues, ...signed });
    planned.push({ id: own.id, index: own.index, body, json });
    if (end === own.tail.length) return planned;
    own.tail = own.tail.slice(end);
    own.id = createId('prt');
    own.index = nextIndex();
  }
}

/** Don't cut a surrogate pair in half. */
function cutAt(text: string): number {
  const code = text.charCodeAt(SEGMENT_CHARACTERS);
  return code >= 0xdc00 && code <= 0xdfff ? SEGMENT_CHARACTERS - 1 : SEGMENT_CHARACTERS;
}

/** The message of a row. */
export interface RowOwner {
  readonly id: string;
  readonly sessionId: string;
  readonly now: number;
}

/** Inserts the rows in order, or updates what may change of them. Call it in a transaction. */
export function writeParts(
  database: Database,
  { id: messageId, sessionId, now }: RowOwner,
  rows: readonly PlannedRow[],
): void {
  let start = 0;
  for (const size of GROUPS) {
    for (; start + size <= rows.length; start += size) {
      const values: SQLInputValue[] = [];
      for (const { id, index, body, json } of rows.slice(start, start + size)) {
        const tool = isToolBody(body) ? body : undefined;
        values.push(id, messageId, sessionId, index, body.type, json);
        values.push(tool?.toolCallId ?? null, tool?.state ?? null, now, now);
      }
      database.run(UPSERT_PARTS[size], ...values);
    }
  }
}

/** How many rows a statement writes. 128 rows of one take about a third less time than 128 statements. */
const GROUPS = [128, 16, 1] as const;

const UPSERT_PARTS = { 1: toUpsert(1), 16: toUpsert(16), 128: toUpsert(128) } as const;

/** A part's type and call never change, so an update leaves their indexes alone. */
function toUpsert(rows: number): string {
  return `
  INSERT INTO chat_parts (id, message_id, session_id, "index", type, data_json, tool_call_id, tool_state, created_at, updated_at)
  VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
  ON CONFLICT(id) DO UPDATE SET data_json = excluded.data_json, tool_state = excluded.tool_state,
    updated_at = excluded.updated_at`;
}
