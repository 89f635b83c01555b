import type { Attachment } from '../base/stream/attachment.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { ReviewRecord } from '../base/stream/dataChunk.ts';
import type { StoredMessage, Usage } from '../base/stream/stored.ts';
import type { UnfinishedTurn } from '../base/stream/unfinished.ts';

/** A message part to be stored; it has no id yet. */
export type NewPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: Attachment }
  | { readonly type: 'data-review'; readonly data: ReviewRecord };

export interface NewSession {
  readonly agent: string;
  /** The session that starts this one, if any. */
  readonly parent?: string;
  /** The user's message that it was started for (spec CS-23). */
  readonly parentMessage?: string;
  /** The session's working directory, absolute; it never changes (spec CS-5). */
  readonly cwd: string;
  readonly title?: string;
  readonly model?: { readonly provider_id: string; readonly model_id: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface StoredSession {
  /** `ses_…`, ACP's `sessionId` (spec CS-66). */
  readonly id: string;
  readonly agent: string;
  /** The session that started it; undefined when the user did. */
  readonly parent: string | undefined;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly pinned: boolean;
  readonly archived: boolean;
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

/** A page of a session's messages, in the order they were written. */
export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  /** Pass it to get the page before this one; absent when there is none. */
  readonly before?: string;
}

/** An unfinished turn that this process writes from now on. */
export interface ContinuedTurn extends UnfinishedTurn {
  readonly record: TurnRecord;
}

/**
 * Writes one turn. When `record` returns, the chunks are stored, or `behind` says when they are; running
 * text may still be buffered.
 */
export interface TurnRecord {
  readonly messageId: string;
  /**
   * Set while the file is locked or repaired: what was recorded is kept in memory, and written as soon as
   * possible. Resolves then; rejects when it can't be written for another reason.
   */
  readonly behind: Promise<void> | undefined;
  /**
   * Writes the chunks in one transaction. Call this before forwarding them, so that nothing is
   * shown that is not stored.
   */
  record(...chunks: readonly Chunk[]): void;
  /** Writes what is buffered. Throws a `BusyError` while the record is behind. */
  flush(): void;
  /**
   * Writes what is buffered and the usage so far, as soon as possible. Also called right after an abort:
   * calls keep their state (spec CS-79). Returns whether all is written.
   */
  close(): boolean;
  /** Another file took the place of the one that was written: everything is written again. */
  rewrite(): void;
}
