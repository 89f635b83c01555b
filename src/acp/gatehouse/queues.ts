import type { StopReason } from '@agentclientprotocol/sdk';
import {
  boolean,
  list,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  record,
  string,
  text,
} from './parse.ts';

/** A prompt that waits for earlier turns. */
export interface QueuedPrompt {
  readonly id: string;
  /** The prompt's text, without attachments. */
  readonly text: string;
  /** The number of other content blocks. */
  readonly attachments: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The running turn takes it at its next step. */
  readonly steered?: boolean;
}

/** The queue of one session. */
export interface SessionQueue {
  readonly sessionId: string;
  /** The prompt whose turn is running. */
  readonly running?: string;
  /** The queued prompts, in the order they will run. */
  readonly entries: readonly QueuedPrompt[];
  /** A turn failed, and what is queued waits for `_gatehouse/resume_queue`. */
  readonly paused?: boolean;
}

export interface SessionQuery {
  readonly sessionId: string;
}

/** The folder whose sessions are meant. */
export interface FolderQuery {
  readonly cwd: string;
}

/** Sessions in which something waits for the user, newest first. */
export interface WaitingSessions {
  readonly sessionIds: readonly string[];
}

export interface QueueEntryQuery {
  readonly sessionId: string;
  readonly id: string;
}

export interface QueueRemoval extends QueueEntryQuery {
  /** Returns what was attached, for a client that did not queue the prompt. */
  readonly withAttachments?: boolean;
}

export interface QueueEdit extends QueueEntryQuery {
  /** Replaces the prompt's text; its attachments stay. */
  readonly text: string;
}

export interface QueueMove extends QueueEntryQuery {
  /** The entry that will follow it; last when absent. */
  readonly before?: string;
}

export interface SteerQuery {
  readonly sessionId: string;
  readonly queueId: string;
}

/** False when the entry is no longer queued, because its turn has started or ended. */
export interface QueueChange {
  readonly changed: boolean;
}

export interface RemovedPrompt extends QueueChange {
  /** What was attached to it, if that was asked for: ACP content blocks, as they were sent. */
  readonly attachments?: readonly Readonly<Record<string, unknown>>[];
}

/** Why a continued turn ended. */
export interface TurnEnd {
  readonly stopReason: StopReason;
}

export const parseTurnEnd: Parser<TurnEnd> = object<TurnEnd>({
  stopReason: parseOneOf('end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'),
});

export const parseSessionQueue: Parser<SessionQueue> = object<SessionQueue>({
  sessionId: text,
  running: optional(text),
  entries: list(
    object<QueuedPrompt>({
      id: text,
      text: string,
      attachments: number,
      since: number,
      steered: optional(boolean),
    }),
  ),
  paused: optional(boolean),
});

export const parseSessionQuery: Parser<SessionQuery> = object<SessionQuery>({ sessionId: text });
export const parseFolderQuery: Parser<FolderQuery> = object<FolderQuery>({ cwd: text });
export const parseWaitingSessions: Parser<WaitingSessions> = object<WaitingSessions>({
  sessionIds: list(text),
});

export const parseQueueRemoval: Parser<QueueRemoval> = object<QueueRemoval>({
  sessionId: text,
  id: text,
  withAttachments: optional(boolean),
});

export const parseQueueEdit: Parser<QueueEdit> = object<QueueEdit>({
  sessionId: text,
  id: text,
  text,
});

export const parseQueueMove: Parser<QueueMove> = object<QueueMove>({
  sessionId: text,
  id: text,
  before: optional(text),
});

export const parseSteerQuery: Parser<SteerQuery> = object<SteerQuery>({
  sessionId: text,
  queueId: text,
});

export const parseQueueChange: Parser<QueueChange> = object<QueueChange>({ changed: boolean });

export const parseRemovedPrompt: Parser<RemovedPrompt> = object<RemovedPrompt>({
  changed: boolean,
  attachments: optional(list(record)),
});
