import {
  integer,
  list,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  record,
  string,
  text,
  WireError,
} from './parse.ts';

/** Maximum number of messages per page. */
const HISTORY_LIMIT = 500;

/** Requests a page of a session's messages, starting with the newest page. */
export interface HistoryQuery {
  readonly sessionId: string;
  /** The `before` of the previous result; absent for the newest messages. */
  readonly before?: string;
  /** Maximum number of messages, 1 to `HISTORY_LIMIT`. */
  readonly limit: number;
}

export interface HistoryPage {
  /** In the order of `session/load`. */
  readonly updates: readonly HistoryUpdate[];
  /** The cursor of the next older page; absent on the last one. */
  readonly before?: string;
}

/** An ACP session update; its fields are parsed where updates are read. */
export interface HistoryUpdate {
  readonly sessionUpdate: string;
  readonly [field: string]: unknown;
}

export const parseHistoryQuery: Parser<HistoryQuery> = object<HistoryQuery>({
  sessionId: text,
  before: optional(text),
  limit: integer(1, HISTORY_LIMIT),
});

export const parseHistoryPage: Parser<HistoryPage> = object<HistoryPage>({
  updates: list(parseUpdate),
  before: optional(text),
});

function parseUpdate(value: unknown, field = ''): HistoryUpdate {
  const update = record(value, field);
  const { sessionUpdate } = update;
  if (typeof sessionUpdate === 'string') return { ...update, sessionUpdate };
  throw new WireError(`${field}.sessionUpdate`, 'Must be a string.');
}

/** Continues a copy of a session in a new one. */
export interface ForkQuery {
  readonly sessionId: string;
  /** The last message that is copied. Default: the newest. */
  readonly messageId?: string;
}

export interface SessionResult {
  readonly sessionId: string;
}

/** Hides a prompt and everything after it, so that the prompt can be edited and sent again. */
export interface RewindQuery {
  readonly sessionId: string;
  /** A prompt of the user. Default: the last one. */
  readonly messageId?: string;
}

export interface RewindResult {
  /** The text of the hidden prompt. */
  readonly text: string;
  /** What was attached to it: ACP content blocks, as they were sent. */
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
  /** How many messages were hidden. */
  readonly hidden: number;
  /** The files that hidden calls changed, absolute. They were left as they are. */
  readonly files: readonly string[];
  /** Says so, in English. */
  readonly notice: string;
}

export interface UnrewindResult {
  /** How many messages are shown again. */
  readonly restored: number;
}

/** `jsonl` can be imported again; `markdown` is for reading. */
export type ExportFormat = 'jsonl' | 'markdown';

export interface ExportQuery {
  readonly sessionId: string;
  readonly format: ExportFormat;
  /** Where to write it, absolute. Required for a text of more than 4 MB. */
  readonly file?: string;
}

export interface ExportResult {
  /** Absent if a file was written. */
  readonly text?: string;
  /** The written file. */
  readonly file?: string;
}

export interface ImportSession {
  /** JSON lines of an export, absolute. */
  readonly file: string;
  /** The working directory of the imported session, absolute. Default: the one in the file. */
  readonly cwd?: string;
}

export const parseForkQuery: Parser<ForkQuery> = object<ForkQuery>({
  sessionId: text,
  messageId: optional(text),
});
export const parseSessionResult: Parser<SessionResult> = object<SessionResult>({ sessionId: text });

export const parseRewindQuery: Parser<RewindQuery> = object<RewindQuery>({
  sessionId: text,
  messageId: optional(text),
});
export const parseRewindResult: Parser<RewindResult> = object<RewindResult>({
  text: string,
  attachments: list(record),
  hidden: number,
  files: list(text),
  notice: string,
});
export const parseUnrewindResult: Parser<UnrewindResult> = object<UnrewindResult>({
  restored: number,
});

export const parseExportQuery: Parser<ExportQuery> = object<ExportQuery>({
  sessionId: text,
  format: parseOneOf('jsonl', 'markdown'),
  file: optional(text),
});
export const parseExportResult: Parser<ExportResult> = object<ExportResult>({
  text: optional(string),
  file: optional(text),
});
export const parseImportSession: Parser<ImportSession> = object<ImportSession>({
  file: text,
  cwd: optional(text),
});
