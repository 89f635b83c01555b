import { findUnfinished } from '../../base/stream/unfinished.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { readMessage } from '../messages.ts';
import type { RecorderStore } from '../recorder.ts';
import { textAt } from '../rows.ts';

/** What a session waits for that no window has open, or that it is written by a turn of some window. */
export type StoredState = 'idle' | 'busy' | 'waiting_permission' | 'waiting_question';

/** Reads a message only if the session's last turn has no end. */
export function readStoredState(store: RecorderStore, sessionId: string): StoredState {
  const { database, writers } = store;
  if (writers.isHeld(sessionId)) return 'busy';
  if (database.get(PROPOSAL, sessionId) !== undefined) return 'waiting_permission';
  const row = database.get(UNFINISHED, sessionId);
  const message = row && readMessage(database, sessionId, textAt(row, 'id'));
  const calls = (message && findUnfinished([message])?.calls) ?? [];
  if (calls.length === 0) return 'idle';
  const isQuestion = calls.every(({ toolName }) => getToolFacts(toolName)?.needsUser === true);
  return isQuestion ? 'waiting_question' : 'waiting_permission';
}

const PROPOSAL = 'SELECT 1 FROM chat_proposals WHERE session_id = ? LIMIT 1';

/** The last message, if it is an answer without an end. */
const UNFINISHED = `SELECT id FROM chat_messages WHERE rowid = (
    SELECT rowid FROM chat_messages INDEXED BY chat_messages_order
    WHERE session_id = ? ORDER BY rowid DESC LIMIT 1
  ) AND role = 'assistant' AND json_extract(metadata_json, '$.finish_reason') IS NULL`;
