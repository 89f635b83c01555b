import { type Clock, systemClock } from '../base/clock.ts';
import type { Outcome } from '../base/outcome.ts';
import type { MessageMetadata, StoredMessage } from '../base/stream/stored.ts';
import type { UnfinishedTurn } from '../base/stream/unfinished.ts';
import {
  type ChangeTable,
  changeTable,
  type EntryTable,
  entryTable,
  type UnreviewedTable,
  unreviewedTable,
} from './changes.ts';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import { createHistory, type History } from './history.ts';
import { addUserMessage, closeOrphans, exportJsonl, readMessagePage } from './messages.ts';
import { type ProposalTable, proposalTable } from './proposals.ts';
import type { ContinuedTurn, MessagePage, NewPart, TurnRecord } from './records.ts';
import { type SessionTable, sessionTable } from './sessions.ts';
import { createTurns, createWriters, type Writers } from './writers.ts';

/** What the library of stored sessions works on; other callers use the recorder's methods. */
export interface RecorderStore {
  readonly database: Database;
  readonly clock: Clock;
  readonly writers: Writers;
  /** Call it after changing rows of messages in place. */
  readonly history: Pick<History, 'invalidate'>;
  /** Writes what is buffered of the session's turn. */
  flush(sessionId: string): void;
}

/** Stores sessions in one SQLite file shared by all windows. Every method is synchronous. */
export interface Recorder extends SessionTable, ReviewTables {
  readonly store: RecorderStore;
  /** Notices for the user: a damaged file was moved away, a journal mode was refused. */
  readonly notices: readonly string[];
  /** Stores the message before the model sees it (spec CS-92). */
  addUserMessage(
    sessionId: string,
    parts: readonly NewPart[],
    metadata?: MessageMetadata,
  ): StoredMessage;
  /**
   * Starts the assistant's message; the first chunk writes its row (spec CS-92). Fails, with a
   * message for the user, while another window's turn writes this session (spec CS-81).
   */
  openTurn(sessionId: string, metadata?: MessageMetadata): Outcome<TurnRecord>;
  /**
   * The session's last turn, if its process ended before it did. Undefined while any window's turn
   * writes the session.
   */
  unfinishedTurn(sessionId: string): UnfinishedTurn | undefined;
  /** Whether a turn of any window writes the session. */
  isWritten(sessionId: string): boolean;
  /**
   * The sessions of a folder in which something waits for the user, newest first: a turn that broke off
   * while it asked and that no window writes, proposals, or changes that were not reviewed. At most 100.
   */
  waitingSessions(cwd: string): readonly string[];
  /**
   * Continues the unfinished turn in its own message. Calls of it that can't go on become errors first.
   * Undefined if there is none any more. Fails, with a message for the user, like `openTurn`.
   */
  continueTurn(sessionId: string, metadata?: MessageMetadata): Outcome<ContinuedTurn | undefined>;
  messages(sessionId: string): StoredMessage[];
  /**
   * The messages before the one with id `before`, or the newest. Reads no other rows. Fails when
   * the session has no such message.
   */
  messagePage(
    sessionId: string,
    query: { readonly before?: string; readonly limit: number },
  ): Outcome<MessagePage>;
  /**
   * Turns calls that a dead process left behind into errors (spec CS-80). Returns their tool call
   * ids.
   */
  closeOrphans(sessionId: string): string[];
  /** Lines of `{type, data}`: session, then each message followed by its parts (spec CS-97). */
  exportJsonl(sessionId: string): string;
  /** Commits everything that `work` writes in one transaction, or nothing when it throws. */
  together<Result>(work: () => Result): Result;
  close(): void;
}

/** Each of them is opened, with its whole history, when a window starts. */
const MOST_WAITING = 100;

export interface RecorderOptions extends DatabaseOptions {
  readonly clock?: Clock;
}

/**
 * Opens the history, one file for all windows of a user. A damaged file is renamed and reported in
 * `notices`. Throws, with a message for the user, when the history cannot be used.
 */
export function openRecorder(file: string, options: RecorderOptions = {}): Recorder {
  const clock = options.clock ?? systemClock;
  const database = openDatabase(file, () => clock.now(), options);
  const writers = createWriters(database, clock);
  const history = createHistory(database);
  const turns = createTurns({ database, clock, writers, history });
  const sessions = sessionTable(database, clock);
  const flushed = (sessionId: string): Database => {
    turns.flush(sessionId);
    return database;
  };
  const isAsking = (id: string) => (turns.unfinished(id)?.calls.length ?? 0) > 0;

  return {
    notices: database.notices,
    store: { database, clock, writers, history, flush: turns.flush },
    ...sessions,
    waitingSessions(cwd) {
      const waiting: string[] = [];
      for (const { sessionId, changes } of sessions.openEnds(cwd)) {
        if (waiting.length >= MOST_WAITING) break;
        if (changes || isAsking(sessionId)) waiting.push(sessionId);
      }
      return waiting;
    },
    ...reviewTables(database, clock),
    addUserMessage: (sessionId, parts, metadata = {}) => {
      const message = addUserMessage(database, clock, sessionId, parts, metadata);
      history.changed(message.id);
      return message;
    },
    ...{ openTurn: turns.open, continueTurn: turns.continue },
    ...{ unfinishedTurn: turns.unfinished, isWritten: writers.isHeld },
    messages: (sessionId) => {
      turns.flush(sessionId);
      return history.messages(sessionId);
    },
    messagePage: (sessionId, query) => readMessagePage(flushed(sessionId), sessionId, query),
    closeOrphans: (sessionId) => {
      if (writers.isHeld(sessionId)) return [];
      history.invalidate();
      return closeOrphans(database, clock, sessionId);
    },
    exportJsonl: (sessionId) => exportJsonl(flushed(sessionId), sessionId),
    together: (work) => runTogether(database, history, work),
    close: () => {
      turns.close();
      database.close();
    },
  };
}

interface ReviewTables extends ProposalTable, ChangeTable, EntryTable, UnreviewedTable {}

function reviewTables(database: Database, clock: Clock): ReviewTables {
  return {
    ...proposalTable(database, clock),
    ...changeTable(database, clock),
    ...entryTable(database, clock),
    ...unreviewedTable(database, clock),
  };
}

function runTogether<Result>(database: Database, history: History, work: () => Result): Result {
  try {
    return database.transaction(work);
  } catch (error) {
    // What was read inside the transaction was rolled back.
    history.invalidate();
    throw error;
  }
}
