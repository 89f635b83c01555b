import type { Clock } from '../base/clock.ts';
import { fieldAt, toRecord } from '../base/json.ts';
import {
  ABORTED_BY_RESTART,
  COPY_ABORTED_BY_RESTART,
  toCopyWritingAborted,
} from '../base/stream/stored.ts';
import type { Database } from './file/database.ts';
import { readUnfinished } from './messages.ts';
import { optionalTextAt, recordAt, textAt } from './rows.ts';

/**
 * Turns calls of a dead process into errors (spec CS-80). Exceptions: calls waiting for the user
 * (an open question, an unanswered approval), calls that run when their turn is continued, and calls
 * that a cancelled turn left as they were (spec CS-79). Compactions that it left open are cancelled.
 */
export function closeOrphans(database: Database, clock: Clock, sessionId: string): string[] {
  return database.transaction(() => {
    const kept = new Set(readUnfinished(database, sessionId)?.calls.map(({ id }) => id));
    const orphans = database.all(ORPHANS, sessionId).filter((row) => !kept.has(textAt(row, 'id')));
    for (const row of orphans) {
      const known = recordAt(row, 'data_json');
      const inCopy = fieldAt(known['display'], 'isolation') === 'copy';
      const ended = inCopy
        ? endInCopy(known, readWritten(database, sessionId, textAt(row, 'tool_call_id')))
        : { error_text: ABORTED_BY_RESTART };
      const json = { ...known, state: 'output-error', ...ended };
      const sql = `UPDATE chat_parts SET data_json = ?, tool_state = 'output-error', updated_at = ?
        WHERE id = ?`;
      database.run(sql, JSON.stringify(json), clock.now(), textAt(row, 'id'));
    }
    database.run(CANCELLED_COMPACTIONS, clock.now(), sessionId);
    return orphans.map((row) => optionalTextAt(row, 'tool_call_id') ?? '');
  });
}

/** What was written of a command in a copy stays, so its card offers to revert it. */
function endInCopy(known: Readonly<Record<string, unknown>>, written: readonly string[]) {
  if (written.length === 0) return { error_text: COPY_ABORTED_BY_RESTART };
  const display = { ...toRecord(known['display']), revertable: true };
  return { error_text: toCopyWritingAborted(written), display };
}

/** The paths that a call changed, in order. */
function readWritten(database: Database, sessionId: string, toolCallId: string): readonly string[] {
  const call = [sessionId, toolCallId] as const;
  return database.all(WRITTEN, ...call, ...call).map((row) => textAt(row, 'path'));
}

/** Texts are written before anything else. */
const WRITTEN = `
  SELECT path, min(position) AS position FROM (
    SELECT path, 0 AS rank, id AS position FROM chat_changes WHERE session_id = ? AND tool_call_id = ?
    UNION ALL
    SELECT path, 1 AS rank, id AS position FROM chat_entries WHERE session_id = ? AND tool_call_id = ?)
  GROUP BY path ORDER BY min(rank), position`;

/** A summary that a dead process was waiting for changes nothing. */
const CANCELLED_COMPACTIONS = `
  UPDATE chat_parts INDEXED BY chat_parts_compactions
  SET data_json = json_set(data_json, '$.data.status', 'cancelled'), updated_at = ?
  WHERE session_id = ? AND type = 'data-compaction'
    AND json_extract(data_json, '$.data.status') = 'in_progress'`;

const ORPHANS = `
  SELECT part.* FROM chat_parts AS part INDEXED BY chat_parts_open
  JOIN chat_messages AS message ON message.id = part.message_id
  WHERE part.session_id = ?
    AND part.tool_state IN ('input-streaming', 'input-available', 'approval-responded')
    AND json_extract(message.metadata_json, '$.aborted_at') IS NULL
    AND (part.tool_state IN ('input-streaming', 'approval-responded')
      OR (part.tool_state = 'input-available' AND part.type <> 'tool-question'))
  ORDER BY message.rowid, part."index"`;
