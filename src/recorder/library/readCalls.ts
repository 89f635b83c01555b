import type { RecorderStore } from '../recorder.ts';
import { optionalTextAt, textAt } from '../rows.ts';

/** A call as it is stored. The texts are JSON, byte for byte. */
export interface StoredCall {
  readonly tool: string;
  readonly toolCallId: string;
  readonly input: string | undefined;
  /** The envelope (spec C-43); undefined if the call was never answered. */
  readonly output: string | undefined;
}

/** The calls of a session's visible messages, in order. */
export function readCalls({ database }: RecorderStore, sessionId: string): readonly StoredCall[] {
  return database.all(CALLS, sessionId).map((row) => ({
    tool: textAt(row, 'type').slice('tool-'.length),
    toolCallId: optionalTextAt(row, 'tool_call_id') ?? '',
    input: optionalTextAt(row, 'input'),
    output: optionalTextAt(row, 'output'),
  }));
}

const CALLS = `SELECT part.type AS type, part.tool_call_id AS tool_call_id,
    part.data_json -> '$.input' AS input, part.data_json -> '$.output' AS output
  FROM chat_messages AS message JOIN chat_parts AS part ON part.message_id = message.id
  WHERE message.session_id = ? AND part.type LIKE 'tool-%'
    AND json_extract(message.metadata_json, '$.hidden_at') IS NULL
  ORDER BY message.rowid, part."index", part.id`;
