import { boolean, list, number, object, optional, type Parser, string, text } from './parse.ts';

/** A prompt that waits for the turns before it. */
export interface QueuedPrompt {
  readonly id: string;
  /** Its text, without what is attached. */
  readonly text: string;
  /** How many other blocks it has. */
  readonly attachments: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The prompts of one session. */
export interface SessionQueue {
  readonly sessionId: string;
  /** The prompt whose turn runs now. */
  readonly running?: string;
  /** Pending prompts, in the order they will run. */
  readonly entries: readonly QueuedPrompt[];
}

export interface SessionQuery {
  readonly sessionId: string;
}

export interface QueueEntryQuery {
  readonly sessionId: string;
  readonly id: string;
}

export interface QueueEdit extends QueueEntryQuery {
  /** Replaces the text of the prompt; what is attached stays. */
  readonly text: string;
}

/** False when the entry is not waiting any more: its turn has begun or ended. */
export interface QueueChange {
  readonly changed: boolean;
}

export const parseSessionQueue: Parser<SessionQueue> = object<SessionQueue>({
  sessionId: text,
  running: optional(text),
  entries: list(
    object<QueuedPrompt>({ id: text, text: string, attachments: number, since: number }),
  ),
});

export const parseSessionQuery: Parser<SessionQuery> = object<SessionQuery>({ sessionId: text });

export const parseQueueEntryQuery: Parser<QueueEntryQuery> = object<QueueEntryQuery>({
  sessionId: text,
  id: text,
});

export const parseQueueEdit: Parser<QueueEdit> = object<QueueEdit>({
  sessionId: text,
  id: text,
  text,
});

export const parseQueueChange: Parser<QueueChange> = object<QueueChange>({ changed: boolean });
