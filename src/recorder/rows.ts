import { isRecord, parseJson, toRecord } from '../base/json.ts';
import { isToolBody, type PartBody } from '../base/stream/fold.ts';
import type { StoredPart, StoredToolPart, ToolState } from '../base/stream/stored.ts';
import { parseAttachment, toAttachmentJson } from './attachmentRow.ts';
import type { SqlRow } from './database.ts';

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

/** The `data_json` of a part, with snake_case keys (spec CS-71). */
export function toPartJson(part: PartBody): string {
  if (part.type === 'file') {
    return JSON.stringify({ type: part.type, data: toAttachmentJson(part.data) });
  }
  if (!isToolBody(part)) return JSON.stringify(part);
  const { toolCallId, toolName, inputText, approvalId, errorText, ...same } = part;
  return JSON.stringify({
    ...same,
    tool_call_id: toolCallId,
    tool_name: toolName,
    input_text: inputText,
    approval_id: approvalId,
    error_text: errorText,
  });
}

/**
 * A part from its row and `data_json`. A part that is damaged or from a later version becomes data.
 */
export function toPart(row: SqlRow, json: Readonly<Record<string, unknown>>): StoredPart {
  const id = textAt(row, 'id');
  const type = textAt(row, 'type');
  const { text, data } = json;
  if (type === 'text' || type === 'reasoning') {
    return { id, type, text: typeof text === 'string' ? text : '' };
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
  };
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
