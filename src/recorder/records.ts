import type { Attachment } from '../base/stream/attachment.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { StoredMessage, Usage } from '../base/stream/stored.ts';

/** A part of a message that is about to be stored: it has no id yet. */
export type NewPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: Attachment };

export interface NewSession {
  readonly agent: string;
  /** The session that starts this one. */
  readonly parent?: string;
  /** The session's root, fixed (spec CS-5). Absolute. */
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

/** A run of a session's messages, in the order they were written. */
export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  /** The id that the page before this one ends at; absent when there is none. */
  readonly before?: string;
}

/** Writes one turn. `record` returns after the chunks are safe or, for running text, buffered. */
export interface TurnRecord {
  readonly messageId: string;
  /** Store first, then show: call this before the chunks are handed on. They are written in one transaction. */
  record(...chunks: readonly Chunk[]): void;
  /** Writes what is buffered now. */
  flush(): void;
  /** Writes what is buffered and the usage seen. Also right after an abort: calls stay frozen (spec CS-79). */
  close(): void;
}
