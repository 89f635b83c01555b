import { type Clock, systemClock } from '../base/clock.ts';
import { type Outcome, success } from '../base/outcome.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { MessageMetadata, StoredMessage, Usage } from '../base/stream/stored.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { createHistory } from './history.ts';
import { addUserMessage, closeOrphans, exportJsonl } from './messages.ts';
import { sessionTable } from './sessions.ts';
import { openTurnRecord } from './turnRecord.ts';
import { createWriters } from './writers.ts';

/** Keeps sessions in one SQLite file for all windows (contract §6). Every method is synchronous. */
export interface Recorder {
  /** Sentences for the user: a damaged file that was set aside, a journal mode that was refused. */
  readonly notices: readonly string[];
  createSession(session: NewSession): StoredSession;
  session(id: string): StoredSession | undefined;
  /** Newest first; archived rows are left out. `cursor` is what the last page gave. */
  listSessions(query: {
    readonly cwd?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): SessionPage;
  /** Stored before the model sees it (CS-92). */
  addUserMessage(
    sessionId: string,
    parts: readonly NewPart[],
    metadata?: MessageMetadata,
  ): StoredMessage;
  /**
   * Starts the assistant's message; its row is written with the first chunk (CS-92). Fails while
   * another window's turn writes this session (CS-81): the text says so.
   */
  openTurn(sessionId: string, metadata?: MessageMetadata): Outcome<TurnRecord>;
  messages(sessionId: string): StoredMessage[];
  /** Calls that a dead process left behind become errors (CS-80). Returns their tool call ids. */
  closeOrphans(sessionId: string): string[];
  setPermissions(sessionId: string, rules: readonly unknown[]): void;
  permissions(sessionId: string): unknown[];
  setTitle(sessionId: string, title: string): void;
  /** Adds to the session's sums (CS-89). */
  addUsage(sessionId: string, usage: Usage, costUsd?: number): void;
  /** Lines of `{type, data}`: session, then each message followed by its parts (CS-97). */
  exportJsonl(sessionId: string): string;
  /** What is written inside goes to the disk in one transaction: all of it, or, when `work` throws, nothing. */
  together<Result>(work: () => Result): Result;
  close(): void;
}

export type NewPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file' | `data-${string}`; readonly data: unknown };

export interface NewSession {
  readonly agent: string;
  /** The session's root, fixed (CS-5). Absolute. */
  readonly cwd: string;
  readonly title?: string;
  readonly model?: { readonly provider_id: string; readonly model_id: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface StoredSession {
  /** `ses_…`, ACP's `sessionId` (CS-66). */
  readonly id: string;
  readonly agent: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly model: { readonly provider_id: string; readonly model_id: string } | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly usage: Usage & { readonly total: number; readonly cost_usd: number };
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionPage {
  readonly sessions: readonly StoredSession[];
  readonly nextCursor?: string;
}

/** Writes one turn. `record` returns after the chunks are safe or, for running text, buffered. */
export interface TurnRecord {
  readonly messageId: string;
  /** Store first, then show: call this before the chunks are handed on. They are written in one transaction. */
  record(...chunks: readonly Chunk[]): void;
  /** Writes what is buffered now. */
  flush(): void;
  /** Writes what is buffered and the usage seen. Also right after an abort: calls stay frozen (CS-79). */
  close(): void;
}

export interface RecorderOptions extends DatabaseOptions {
  readonly clock?: Clock;
}

/**
 * Opens the history, one file for all windows of a user. Throws, with a sentence for the user, when it
 * cannot be used; a damaged file is set aside instead, and `notices` says so.
 */
export function openRecorder(file: string, options: RecorderOptions = {}): Recorder {
  const clock = options.clock ?? systemClock;
  const database = openDatabase(file, () => clock.now(), options);
  const writers = createWriters(database, clock);
  const history = createHistory(database);
  const turns = new Map<string, TurnRecord>();
  return {
    notices: database.notices,
    ...sessionTable(database, clock),
    addUserMessage: (sessionId, parts, metadata = {}) => {
      const message = addUserMessage(database, clock, sessionId, parts, metadata);
      history.changed(message.id);
      return message;
    },
    openTurn: (sessionId, metadata = {}) => {
      const claimed = writers.claim(sessionId);
      if (!claimed.ok) return claimed;
      const release = () => {
        turns.delete(sessionId);
        writers.release(sessionId);
      };
      const { changed } = history;
      const turn = openTurnRecord({ database, clock, sessionId, metadata, changed }, release);
      turns.set(sessionId, turn);
      return success(turn);
    },
    messages: (sessionId) => {
      turns.get(sessionId)?.flush();
      return history.messages(sessionId);
    },
    closeOrphans: (sessionId) => {
      if (writers.isHeld(sessionId)) return [];
      history.forget();
      return closeOrphans(database, clock, sessionId);
    },
    exportJsonl: (sessionId) => {
      turns.get(sessionId)?.flush();
      return exportJsonl(database, sessionId);
    },
    together: (work) => {
      try {
        return database.transaction(work);
      } catch (error) {
        // What was read inside is not stored after all.
        history.forget();
        throw error;
      }
    },
    close: () => {
      for (const turn of [...turns.values()]) turn.close();
      database.close();
    },
  };
}
