import type { Isolation } from '../../base/tools/isolation.ts';
import {
  boolean,
  decoration,
  integer,
  list,
  type MetaHolder,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  readDecoration,
  readMeta,
  string,
  text,
} from './parse.ts';
import { type AskSource, parseAskSource } from './pending.ts';
import { type AppliedRule, parseAppliedRule } from './rules.ts';

/** The meta of `session/new`, `session/load` and `session/resume`. */
export interface SessionMeta {
  /** The name of the agent definition to start. */
  readonly agent?: string;
  /** The initial approval mode. */
  readonly approval?: string;
}

/** The meta of the responses to `session/load` and `session/resume`. */
export interface SessionLoadMeta {
  /**
   * Set when the last turn broke off because its process ended, and `_gatehouse/continue` continues it.
   * `waiting`: it broke off while the user was asked; `broken`: anywhere else.
   */
  readonly unfinished?: 'waiting' | 'broken';
  /** Pass it to `_gatehouse/history` for the messages before those that were sent; absent if all were. */
  readonly before?: string;
  /** The last rewind can still be undone, by `_gatehouse/unrewind`. */
  readonly rewound?: boolean;
}

/** The meta of the request `session/load`. */
export interface SessionLoadQuery {
  /** Sends only so many of the newest messages. Default: all. */
  readonly tail?: number;
}

/**
 * The meta of `tool_call` and `tool_call_update`. Only informative, so invalid fields are dropped.
 */
export interface ToolCallMeta {
  /** The rule that allowed the call without asking. */
  readonly rule?: AppliedRule;
  /** All such rules, when different rules allowed parts of the call. */
  readonly rules?: readonly AppliedRule[];
  /** The layer that made the decision; `user`: the user allowed it when asked. */
  readonly layer?: string;
  /** Where the call's programs run, or will run. */
  readonly isolation?: Isolation;
  /** The call changed something that *Revert* can restore, even if no diff shows it. */
  readonly revertable?: boolean;
  /** Milliseconds that the call's program ran. */
  readonly ranMs?: number;
  /** The end of an output whose beginning is in `rawOutput`. */
  readonly outputEnd?: string;
  /** The complete command line. */
  readonly command?: string;
  /** The session of the subagent that the call started. `_gatehouse/history` has its messages. */
  readonly subagent?: string;
  /** How a failed call ended, for which ACP has no status. */
  readonly ended?: 'denied' | 'aborted';
}

/** The meta of a `diff` in a call's content. */
export interface DiffMeta {
  /** The hunk's first line in the old file, 1-based. */
  readonly line?: number;
  /** `oldText` and `newText` cover only part of the file. */
  readonly partial?: boolean;
  /** The file is deleted; `newText` is empty. */
  readonly deleted?: boolean;
  /** A document of its own, such as a plan; no file has its path. */
  readonly document?: boolean;
  /** In a proposal: SHA-256 of the file's bytes it is based on; of empty content for a new file. */
  readonly beforeHash?: string;
}

/** The meta of `session/prompt`. */
export interface PromptMeta {
  /** The client's id for the prompt while it is queued; the host assigns one when absent. */
  readonly queueId?: string;
}

/** The meta of `fs/write_text_file`. */
export interface WriteMeta {
  /** The document version on which the text is based. */
  readonly baseVersion?: number;
}

/** The meta of `elicitation/create`. */
export interface ElicitationMeta {
  /** Identifies the question in the list of pending requests. */
  readonly askId?: string;
  readonly source?: AskSource;
}

/** The meta of `compaction_update`. Only informative, so invalid fields are dropped. */
export interface CompactionMeta {
  /** How many messages the summary stands for. */
  readonly messages?: number;
  /** How many outputs of calls are left out of requests. */
  readonly outputs?: number;
  /** Nobody asked for it: the next request would have been too large. */
  readonly auto?: boolean;
}

/** The meta of `usage_update`: tokens of the context that the provider took from its cache and wrote to it. */
export interface UsageMeta {
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The meta of a transient notice. Only informative, so an invalid field is dropped. */
export interface NoticeMeta {
  /** The model request that will be retried. */
  readonly retry?: NoticeRetry;
}

/** A wait before a request to the model is repeated. */
export interface NoticeRetry {
  /** The attempt that failed, 1-based. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Start of the next attempt, in milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string;
  /** The kind of the failure, such as `rate-limited`. */
  readonly kind: string;
}

/** Asks for a commit message about what is staged in a repository. */
export interface CommitQuery {
  /** The session whose model is asked. Default: the configured one. */
  readonly sessionId?: string;
  /** The repository's work tree, absolute. */
  readonly root: string;
  /** What the user has written already. */
  readonly draft?: string;
}

export interface CommitMessage {
  readonly message: string;
}

export const parseCommitQuery: Parser<CommitQuery> = object<CommitQuery>({
  sessionId: optional(text),
  root: text,
  draft: optional(string),
});
export const parseCommitMessage: Parser<CommitMessage> = object<CommitMessage>({ message: string });

const parseSessionMeta = object<SessionMeta>({ agent: optional(text), approval: optional(string) });
const parseSessionLoadMeta = object<SessionLoadMeta>({
  unfinished: decoration(parseOneOf('waiting', 'broken')),
  before: decoration(text),
  rewound: decoration(boolean),
});
const parseSessionLoadQuery = object<SessionLoadQuery>({ tail: optional(integer(1, 10_000)) });
const parseToolCallMeta = object<ToolCallMeta>({
  rule: decoration(parseAppliedRule),
  rules: decoration(list(parseAppliedRule)),
  layer: decoration(string),
  isolation: decoration(parseOneOf('copy', 'confined', 'unconfined')),
  revertable: decoration(boolean),
  ranMs: decoration(number),
  outputEnd: decoration(string),
  command: decoration(string),
  subagent: decoration(text),
  ended: decoration(parseOneOf('denied', 'aborted')),
});
const parseDiffMeta = object<DiffMeta>({
  line: decoration(integer(1, Number.MAX_SAFE_INTEGER)),
  partial: decoration(boolean),
  deleted: decoration(boolean),
  document: decoration(boolean),
  beforeHash: decoration(string),
});
const parsePromptMeta = object<PromptMeta>({ queueId: optional(text) });
const parseWriteMeta = object<WriteMeta>({ baseVersion: optional(number) });
const parseElicitationMeta = object<ElicitationMeta>({
  askId: optional(text),
  source: optional(parseAskSource),
});
const parseCompactionMeta = object<CompactionMeta>({
  messages: decoration(number),
  outputs: decoration(number),
  auto: decoration(boolean),
});
const parseUsageMeta = object<UsageMeta>({ cacheRead: number, cacheWrite: number });
const parseNoticeRetry = object<NoticeRetry>({
  attempt: number,
  maxAttempts: number,
  at: number,
  reason: string,
  kind: string,
});
const parseNoticeMeta = object<NoticeMeta>({ retry: decoration(parseNoticeRetry) });

/** Throws `WireError`. */
export function readSessionMeta(request: MetaHolder): SessionMeta {
  return readMeta(request, parseSessionMeta) ?? {};
}

export function readSessionLoadMeta(response: MetaHolder): SessionLoadMeta {
  return readDecoration(response, parseSessionLoadMeta) ?? {};
}

/** Throws `WireError`. */
export function readSessionLoadQuery(request: MetaHolder): SessionLoadQuery {
  return readMeta(request, parseSessionLoadQuery) ?? {};
}

export function readToolCallMeta(update: MetaHolder): ToolCallMeta {
  return readDecoration(update, parseToolCallMeta) ?? {};
}

/** Undefined if the provider's cache had no part in it. */
export function readUsageMeta(update: MetaHolder): UsageMeta | undefined {
  return readDecoration(update, parseUsageMeta);
}

export function readDiffMeta(content: MetaHolder): DiffMeta {
  return readDecoration(content, parseDiffMeta) ?? {};
}

/** Throws `WireError`. */
export function readPromptMeta(request: MetaHolder): PromptMeta {
  return readMeta(request, parsePromptMeta) ?? {};
}

/** Throws `WireError`: without a valid base version the write must not happen. */
export function readWriteMeta(request: MetaHolder): WriteMeta {
  return readMeta(request, parseWriteMeta) ?? {};
}

/** Throws `WireError`. */
export function readElicitationMeta(request: MetaHolder): ElicitationMeta {
  return readMeta(request, parseElicitationMeta) ?? {};
}

export function readCompactionMeta(update: MetaHolder): CompactionMeta {
  return readDecoration(update, parseCompactionMeta) ?? {};
}

export function readNoticeMeta(update: MetaHolder): NoticeMeta {
  return readDecoration(update, parseNoticeMeta) ?? {};
}
