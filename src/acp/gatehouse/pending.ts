import { list, number, object, optional, type Parser, parseOneOf, string, text } from './parse.ts';

/** Where a request comes from, and its position among the others. */
export interface AskSource {
  /**
   * The number of the call among all calls of the host. Requests are shown in this order, which is
   * the order in which the model made the calls of one message.
   */
  readonly order: number;
  /** The name of the agent that made the call. */
  readonly agent: string;
  /** The title of its session, if it has one. */
  readonly session?: string;
  /** The session that started this one, if the agent is a subagent. */
  readonly parent?: string;
}

/** A pending permission request or question. */
export interface PendingEntry {
  readonly sessionId: string;
  readonly toolCallId: string;
  /**
   * Identifies the request, together with session and call; the request itself carries the same
   * `askId`.
   */
  readonly askId: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly kind: 'approval' | 'input';
  readonly source: AskSource;
}

/** The pending requests of all sessions, in call order. */
export interface PendingResult {
  readonly asks: readonly PendingEntry[];
}

export const parseAskSource: Parser<AskSource> = object<AskSource>({
  order: number,
  agent: string,
  session: optional(string),
  parent: optional(text),
});

export const parsePendingResult: Parser<PendingResult> = object<PendingResult>({
  asks: list(
    object<PendingEntry>({
      sessionId: text,
      toolCallId: text,
      askId: text,
      title: string,
      since: number,
      kind: parseOneOf('approval', 'input'),
      source: parseAskSource,
    }),
  ),
});

/** The files of a session whose changes wait for a review. */
export interface PendingReview {
  /** Absolute paths; empty: there are none. */
  readonly files: readonly string[];
}

export const parseReviewResult: Parser<PendingReview> = object<PendingReview>({
  files: list(text),
});

export interface RevertQuery {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** What reverting a call did. */
export interface RevertResult {
  /** The files that were written. Absolute. */
  readonly files: readonly string[];
  /** Files whose later changes touch the same lines. If there is one, no file is written. */
  readonly conflicts: readonly string[];
}

export const parseRevertQuery: Parser<RevertQuery> = object<RevertQuery>({
  sessionId: text,
  toolCallId: text,
});

export const parseRevertResult: Parser<RevertResult> = object<RevertResult>({
  files: list(text),
  conflicts: list(text),
});
