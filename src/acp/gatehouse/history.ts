import { type MetaHolder, readDecoration, readMeta } from './meta.ts';
import {
  boolean,
  decoration,
  integer,
  list,
  matching,
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

/**
 * What a session is doing. Sessions of this host have all states; a session that is only stored is idle,
 * waits for the user, or is busy in another window.
 */
export type ListedState = 'idle' | 'busy' | 'waiting_permission' | 'waiting_question' | 'retrying';

/** The meta of each session in the response to `session/list`. */
export interface SessionInfoMeta {
  readonly v: 1;
  readonly state: ListedState;
  /** Absent until the first prompt. */
  readonly title?: string;
  /** Pinned sessions come first, all of them on the first page. */
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** The session that it was forked from, or that started it. */
  readonly parentId?: string;
}

/** A session of the list, as `_gatehouse/update_session` returns it. */
export interface SessionEntry extends SessionInfoMeta {
  readonly sessionId: string;
  readonly cwd: string;
}

/** The meta of the request `session/list`. */
export interface SessionListMeta {
  /** Lists archived sessions too. */
  readonly archived?: boolean;
}

/** Maximum length of a title, in UTF-16 code units. */
export const TITLE_LIMIT = 200;

/** Changes what the list shows of a session. Absent fields stay as they are. */
export interface SessionEdit {
  readonly sessionId: string;
  readonly title?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
}

/** Maximum length of a query, in UTF-16 code units. */
const QUERY_LIMIT = 1000;
/** Maximum number of hits per page. */
const HITS_LIMIT = 200;

/** Searches the transcripts of all sessions for messages with all words of the query. */
export interface SessionSearch {
  /** Words, or beginnings of words, in any case. */
  readonly query: string;
  /** Only the sessions of this folder. */
  readonly cwd?: string;
  /** Maximum number of hits. Default: 50. */
  readonly limit?: number;
  /** The `messageId` of the last hit, to get the hits before it. */
  readonly before?: string;
}

/** A message in which the words were found. */
export interface SearchHit {
  readonly sessionId: string;
  /** The session's title. */
  readonly title?: string;
  readonly messageId: string;
  /** A part of the message around the words. */
  readonly snippet: string;
  /** Where the words are in the snippet: start and end (exclusive), in UTF-16 code units. */
  readonly marks: readonly (readonly [start: number, end: number])[];
  /** When the session changed, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Newest messages first. */
export interface SearchHits {
  readonly hits: readonly SearchHit[];
  /** Older messages are not indexed yet, so there may be more hits later. */
  readonly indexing?: boolean;
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

const sessionInfoFields = {
  v: parseOneOf(1),
  state: parseOneOf('idle', 'busy', 'waiting_permission', 'waiting_question', 'retrying'),
  title: optional(string),
  pinned: boolean,
  archived: boolean,
  updatedAt: number,
  parentId: optional(text),
} as const;

const parseSessionInfoMeta = object<SessionInfoMeta>(sessionInfoFields);
const parseSessionListMeta = object<SessionListMeta>({ archived: decoration(boolean) });

/** Undefined for a host without our extensions. */
export function readSessionInfoMeta(session: MetaHolder): SessionInfoMeta | undefined {
  return readDecoration(session, parseSessionInfoMeta);
}

/** Throws `WireError`. */
export function readSessionListMeta(request: MetaHolder): SessionListMeta {
  return readMeta(request, parseSessionListMeta) ?? {};
}

export const parseSessionEntry: Parser<SessionEntry> = object<SessionEntry>({
  ...sessionInfoFields,
  sessionId: text,
  cwd: string,
});

export const parseSessionEdit: Parser<SessionEdit> = object<SessionEdit>({
  sessionId: text,
  title: optional(
    matching(
      (title) => title.trim() !== '' && title.length <= TITLE_LIMIT,
      `Must have 1 to ${TITLE_LIMIT} characters.`,
    ),
  ),
  pinned: optional(boolean),
  archived: optional(boolean),
});

export const parseSessionSearch: Parser<SessionSearch> = object<SessionSearch>({
  query: matching(
    (query) => query.length <= QUERY_LIMIT,
    `Must have at most ${QUERY_LIMIT} characters.`,
  ),
  cwd: optional(text),
  limit: optional(integer(1, HITS_LIMIT)),
  before: optional(text),
});

const parseMark: Parser<readonly [number, number]> = (value, field = '') => {
  const [start, end, ...more] = list(integer(0, Number.MAX_SAFE_INTEGER))(value, field);
  if (start !== undefined && end !== undefined && more.length === 0) return [start, end];
  throw new WireError(field, 'Must have a start and an end.');
};

export const parseSearchHits: Parser<SearchHits> = object<SearchHits>({
  hits: list(
    object<SearchHit>({
      sessionId: text,
      title: optional(string),
      messageId: text,
      snippet: string,
      marks: list(parseMark),
      updatedAt: number,
    }),
  ),
  indexing: optional(boolean),
});

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
