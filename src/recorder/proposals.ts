import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { Database, SqlRow } from './file/database.ts';
import { numberAt, optionalTextAt, textAt } from './rows.ts';

/** A session's proposed change of one file, which waits for the user's review. */
export interface StoredProposal {
  /** Absolute. */
  readonly path: string;
  /** The file that it changes; absent when it creates the file. */
  readonly base?: { readonly hash: string; readonly text: string; readonly stamp: string };
  /** Absent when it deletes the file. */
  readonly text?: string;
  readonly conflict?: true;
  /** The calls that made it, in order. */
  readonly calls: readonly string[];
  /** The review that asks about it; the same after a restart. */
  readonly reviewId: string;
}

/** The outcome of a review that no message contains yet. */
export interface StoredOutcome {
  readonly id: number;
  readonly data: unknown;
}

export interface ProposalTable {
  /** In the order in which they were first stored. */
  proposals(sessionId: string): readonly StoredProposal[];
  putProposal(sessionId: string, proposal: StoredProposal): void;
  removeProposal(sessionId: string, path: string): void;
  /**
   * Gives the files of a review, which has been answered, to the next one. False if there are none: another
   * window was first.
   */
  renewReview(sessionId: string, from: string, to: string): boolean;
  /** Whether files of the session belong to the review. */
  hasReview(sessionId: string, reviewId: string): boolean;
  /** Keeps the outcome of a review until a message with it is stored. */
  addOutcome(sessionId: string, data: unknown): StoredOutcome;
  outcomes(sessionId: string): readonly StoredOutcome[];
  removeOutcome(id: number): void;
}

export function proposalTable(database: Database, clock: Clock): ProposalTable {
  return {
    proposals: (sessionId) =>
      database
        .all('SELECT * FROM chat_proposals WHERE session_id = ? ORDER BY rowid', sessionId)
        .map(toProposal),
    putProposal: (sessionId, { path, base, text, conflict, calls, reviewId }) => {
      const now = clock.now();
      database.run(
        `INSERT INTO chat_proposals (session_id, path, base_hash, base_text, base_stamp, text,
           conflict, calls_json, review_id, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(session_id, path) DO UPDATE SET base_hash = excluded.base_hash,
           base_text = excluded.base_text, base_stamp = excluded.base_stamp, text = excluded.text,
           conflict = excluded.conflict, calls_json = excluded.calls_json,
           review_id = excluded.review_id,
           updated_at = excluded.updated_at`,
        ...[sessionId, path, base?.hash ?? null, base?.text ?? null, base?.stamp ?? null],
        ...[text ?? null, conflict === true ? 1 : 0, JSON.stringify(calls), reviewId],
        ...[now, now],
      );
    },
    removeProposal: (sessionId, path) => {
      database.run('DELETE FROM chat_proposals WHERE session_id = ? AND path = ?', sessionId, path);
    },
    renewReview: (sessionId, from, to) =>
      database.run(
        'UPDATE chat_proposals SET review_id = ? WHERE session_id = ? AND review_id = ?',
        ...[to, sessionId, from],
      ) > 0,
    hasReview: (sessionId, reviewId) =>
      database.get(
        'SELECT 1 FROM chat_proposals WHERE session_id = ? AND review_id = ? LIMIT 1',
        ...[sessionId, reviewId],
      ) !== undefined,
    addOutcome: (sessionId, data) => {
      database.run(
        'INSERT INTO chat_review_outcomes (session_id, data_json, created_at) VALUES (?, ?, ?)',
        ...[sessionId, JSON.stringify(data), clock.now()],
      );
      const row = database.get('SELECT last_insert_rowid() AS id');
      return { id: row === undefined ? 0 : numberAt(row, 'id'), data };
    },
    outcomes: (sessionId) =>
      database
        .all('SELECT * FROM chat_review_outcomes WHERE session_id = ? ORDER BY id', sessionId)
        .map((row) => ({ id: numberAt(row, 'id'), data: parseJson(textAt(row, 'data_json')) })),
    removeOutcome: (id) => {
      database.run('DELETE FROM chat_review_outcomes WHERE id = ?', id);
    },
  };
}

function toProposal(row: SqlRow): StoredProposal {
  const hash = optionalTextAt(row, 'base_hash');
  const text = optionalTextAt(row, 'text');
  const calls: unknown = parseJson(textAt(row, 'calls_json'));
  return {
    path: textAt(row, 'path'),
    reviewId: textAt(row, 'review_id'),
    ...(hash !== undefined && {
      base: {
        hash,
        text: optionalTextAt(row, 'base_text') ?? '',
        stamp: optionalTextAt(row, 'base_stamp') ?? '',
      },
    }),
    ...(text !== undefined && { text }),
    ...(numberAt(row, 'conflict') === 1 && { conflict: true }),
    calls: Array.isArray(calls) ? calls.filter((call) => typeof call === 'string') : [],
  };
}
