import { type Clock, systemClock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { Outcome } from '../base/outcome.ts';
import type { MessageMetadata, StoredMessage } from '../base/stream/stored.ts';
import type { UnfinishedTurn } from '../base/stream/unfinished.ts';
import { type ChangeTable, changeTable, type UnreviewedTable, unreviewedTable } from './changes.ts';
import { type EntryTable, entryTable } from './entries.ts';
import { checkLater } from './file/checkLater.ts';
import { type Database, type DatabaseOptions, openDatabase } from './file/database.ts';
import { createHistory, type History } from './history.ts';
import {
  addMessage,
  addUserMessage,
  readInGroups,
  readLines,
  readMessagePage,
} from './messages.ts';
import { closeOrphans } from './orphanedCalls.ts';
import { type ProposalTable, proposalTable } from './proposals.ts';
import type { ContinuedTurn, MessagePage, NewPart, TurnRecord } from './records.ts';
import { afterReplaced, keepSessions } from './restore.ts';
import { textAt } from './rows.ts';
import { type SessionTable, sessionTable } from './sessions.ts';
import { createTurns, createWriters, type Turns, type Writers } from './writers.ts';

/** What the library of stored sessions works on; other callers use the recorder's methods. */
export interface RecorderStore {
  readonly database: Database;
  readonly clock: Clock;
  readonly writers: Writers;
  /** Call it after changing rows of messages in place. */
  readonly history: Pick<History, 'invalidate'>;
  /** Writes what is buffered of the session's turn. */
  flush(sessionId: string): void;
  /** Call it when a session is deleted. */
  drop(sessionId: string): void;
}

/** Stores sessions in one SQLite file shared by all windows. Every method is synchronous. */
export interface Recorder extends SessionTable, ReviewTables {
  readonly store: RecorderStore;
  /** Notices for the user so far: the file was damaged or empty, a journal mode was refused. */
  readonly notices: readonly string[];
  readonly onNotice: Event<string>;
  /**
   * Resolves when something can be stored; undefined when it can at once. Rejects with a `BusyError` when
   * another program locks the file for 30 s, and when the signal aborts.
   */
  free(signal?: AbortSignal): Promise<void> | undefined;
  /** Resolves when the repair that runs has ended, so that something can be read; undefined when none does. */
  repaired(): Promise<void> | undefined;
  /** Checks a large file that was not checked for a day; a damaged one is repaired. */
  checkDamage(): Promise<void>;
  /** Stores the message before the model sees it (spec CS-92). */
  addUserMessage(
    sessionId: string,
    parts: readonly NewPart[],
    metadata?: MessageMetadata,
  ): StoredMessage;
  /**
   * Stores a message of the assistant that the host wrote, such as that a task has finished. Call it while no turn
   * writes the session.
   */
  addSynthetic(sessionId: string, text: string, metadata: MessageMetadata): StoredMessage;
  /** The subagents of a session that run in the background, or did when their host ended (spec CS-26). */
  backgroundTasks(parentId: string): readonly { readonly id: string; readonly agent: string }[];
  /** The subagent has ended, and the session that started it was told. */
  endBackground(sessionId: string): void;
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
  /** The messages that the session has now, `size` at a time. Reads no other rows, and keeps none. */
  messageGroups(sessionId: string, size: number): Iterable<readonly StoredMessage[]>;
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

export type RecorderOptions = DatabaseOptions;

/**
 * Opens the history, one file for all windows of a user. A damaged file is replaced by what can be read of
 * it, which is reported by `notices`; until then every use throws a `BusyError`. Throws, with a message
 * for the user, when the history cannot be used.
 */
export function openRecorder(file: string, options: RecorderOptions = {}): Recorder {
  const clock = options.clock ?? systemClock;
  const database = openDatabase(file, () => clock.now(), options);
  const writers = createWriters(database, clock);
  const history = createHistory(database);
  const turns = createTurns({ database, clock, writers, history });
  const sessions = sessionTable(database, clock);
  const kept = keepSessions(database, sessions);
  afterReplaced(database, clock, () => {
    history.invalidate();
    kept.restore();
    turns.restore();
  });

  return {
    store: { database, clock, writers, history, flush: turns.flush, drop: kept.drop },
    ...{ notices: database.notices, onNotice: database.onNotice },
    ...{ free: database.free, repaired: database.repaired },
    checkDamage: () => checkLater(file, clock.now(), database),
    ...sessions,
    ...{ createSession: kept.createSession, session: kept.session },
    waitingSessions: (cwd) => listWaiting(sessions.openEnds(cwd), turns),
    ...reviewTables(database, clock),
    ...messageWriters(database, clock, history),
    ...{ openTurn: turns.open, continueTurn: turns.continue },
    ...{ unfinishedTurn: turns.unfinished, isWritten: writers.isHeld },
    ...messageReaders(database, history, turns),
    closeOrphans: (sessionId) => {
      if (writers.isHeld(sessionId)) return [];
      history.invalidate(sessionId);
      return closeOrphans(database, clock, sessionId);
    },
    together: (work) => runTogether(database, history, work),
    close: () => {
      turns.close();
      database.close();
    },
  };
}

function listWaiting(
  openEnds: ReturnType<SessionTable['openEnds']>,
  turns: Pick<Turns, 'unfinished'>,
): string[] {
  const waiting: string[] = [];
  for (const { sessionId, changes } of openEnds) {
    if (waiting.length >= MOST_WAITING) break;
    const isAsking = () => (turns.unfinished(sessionId)?.calls.length ?? 0) > 0;
    if (changes || isAsking()) waiting.push(sessionId);
  }
  return waiting;
}

const BACKGROUND = `SELECT id, agent FROM chat_sessions WHERE parent_id = ?
  AND json_extract(metadata_json, '$.task.background') = 1 ORDER BY created_at, id`;

/** Messages that no turn writes, and the subagents whose end they tell. */
function messageWriters(
  database: Database,
  clock: Clock,
  history: History,
): Pick<Recorder, 'addUserMessage' | 'addSynthetic' | 'backgroundTasks' | 'endBackground'> {
  const added = (message: StoredMessage) => {
    history.changed(message.sessionId, message.id);
    return message;
  };
  return {
    addUserMessage: (sessionId, parts, metadata = {}) =>
      added(addUserMessage(database, clock, sessionId, parts, metadata)),
    addSynthetic: (sessionId, text, metadata) => {
      const parts = [{ type: 'text', text }] as const;
      const own = { ...metadata, synthetic: true, finish_reason: 'stop' } as const;
      return added(
        addMessage(database, clock, { sessionId, role: 'assistant', parts, metadata: own }),
      );
    },
    backgroundTasks: (parentId) =>
      database
        .all(BACKGROUND, parentId)
        .map((row) => ({ id: textAt(row, 'id'), agent: textAt(row, 'agent') })),
    endBackground: (sessionId) => {
      const ended = "json_remove(metadata_json, '$.task.background')";
      database.run(`UPDATE chat_sessions SET metadata_json = ${ended} WHERE id = ?`, sessionId);
    },
  };
}

/** What a running turn has buffered is written before its session is read. */
function messageReaders(
  database: Database,
  history: History,
  turns: Pick<Turns, 'flush'>,
): Pick<Recorder, 'messages' | 'messageGroups' | 'messagePage' | 'exportJsonl'> {
  return {
    messages: (sessionId) => {
      turns.flush(sessionId);
      return history.messages(sessionId);
    },
    messageGroups: (sessionId, size) => {
      turns.flush(sessionId);
      return readInGroups(database, sessionId, size);
    },
    messagePage: (sessionId, query) => {
      turns.flush(sessionId);
      return readMessagePage(database, sessionId, query);
    },
    exportJsonl: (sessionId) => {
      turns.flush(sessionId);
      return [...readLines(database, sessionId)].join('');
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
