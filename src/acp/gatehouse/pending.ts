import {
  integer,
  list,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  string,
  text,
} from './parse.ts';

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
  /** The files that the user is asked about. Absolute paths; empty: there are none. */
  readonly files: readonly string[];
  /** Files that wait no longer because they can't be written, if this request found that out. */
  readonly dropped?: readonly DroppedFile[];
}

export interface DroppedFile {
  /** Absolute. */
  readonly path: string;
  readonly why: string;
}

export const parseReviewResult: Parser<PendingReview> = object<PendingReview>({
  files: list(text),
  dropped: optional(list(object<DroppedFile>({ path: text, why: string }))),
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
  /** What is no text and was changed since. If there is one, nothing is written. */
  readonly changed?: readonly string[];
}

export const parseRevertQuery: Parser<RevertQuery> = object<RevertQuery>({
  sessionId: text,
  toolCallId: text,
});

export const parseRevertResult: Parser<RevertResult> = object<RevertResult>({
  files: list(text),
  conflicts: list(text),
  changed: optional(list(text)),
});

/** A file with changes that are on disk, and that the user has not reviewed. */
export interface UnreviewedFile {
  /** Absolute. */
  readonly path: string;
  /** Identifies the state of the file's review; hunks are only valid together with it. */
  readonly revision: string;
  readonly kind: 'changed' | 'created' | 'deleted';
  readonly hunks: number;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** What changed that is no text, in one line with code in backticks. Without hunks it is all that changed. */
  readonly entry?: string;
}

/** All unreviewed files of a session; empty: there are none. */
export interface UnreviewedFiles {
  readonly sessionId: string;
  readonly files: readonly UnreviewedFile[];
}

const count = integer(0, Number.MAX_SAFE_INTEGER);

export const parseUnreviewedFiles: Parser<UnreviewedFiles> = object<UnreviewedFiles>({
  sessionId: text,
  files: list(
    object<UnreviewedFile>({
      path: text,
      revision: text,
      kind: parseOneOf('changed', 'created', 'deleted'),
      hunks: count,
      added: count,
      removed: count,
      entry: optional(string),
    }),
  ),
});

export interface UnreviewedQuery {
  readonly sessionId: string;
  readonly path: string;
}

export const parseUnreviewedQuery: Parser<UnreviewedQuery> = object<UnreviewedQuery>({
  sessionId: text,
  path: text,
});

/** The texts of one unreviewed file. */
export interface UnreviewedTexts {
  /** Empty: the file has no unreviewed changes. */
  readonly revision: string;
  /** Absent: there was no file. */
  readonly before?: string;
  /** Absent: the file was deleted. */
  readonly after?: string;
}

export const parseUnreviewedTexts: Parser<UnreviewedTexts> = object<UnreviewedTexts>({
  revision: string,
  before: optional(string),
  after: optional(string),
});

/** The user's decision on unreviewed hunks. */
export interface ResolveChanges {
  readonly sessionId: string;
  /** `settle`: the user undid the hunks by hand. Hunks that the file still has stay unreviewed. */
  readonly decision: 'keep' | 'undo' | 'settle';
  readonly files: readonly ResolvedFile[];
}

export interface ResolvedFile {
  readonly path: string;
  /** As the user saw it. The request changes nothing if a file has another one by now. */
  readonly revision: string;
  /** Indexes of hunks; absent: all. */
  readonly hunks?: readonly number[];
}

export const parseResolveChanges: Parser<ResolveChanges> = object<ResolveChanges>({
  sessionId: text,
  decision: parseOneOf('keep', 'undo', 'settle'),
  files: list(object<ResolvedFile>({ path: text, revision: text, hunks: optional(list(count)) })),
});

/** With conflicts or outdated files, nothing was changed. */
export interface ResolveResult {
  /** Files whose text was written. */
  readonly written: readonly string[];
  /** Files whose later changes touch the same lines. */
  readonly conflicts: readonly string[];
  /** Files whose unreviewed changes are others by now. */
  readonly outdated: readonly string[];
  /** What is no text and was changed since. Then nothing was changed. */
  readonly changed?: readonly string[];
}

export const parseResolveResult: Parser<ResolveResult> = object<ResolveResult>({
  written: list(text),
  conflicts: list(text),
  outdated: list(text),
  changed: optional(list(text)),
});
