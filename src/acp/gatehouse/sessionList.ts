import {
  boolean,
  decoration,
  integer,
  list,
  type MetaHolder,
  matching,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  readDecoration,
  readMeta,
  string,
  text,
  WireError,
} from './parse.ts';

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

/** Deletes all sessions of some folders, or of all of them, but for those that have to stay. */
export interface ClearQuery {
  /** Only sessions of these folders, absolute. Default: all sessions of the user. */
  readonly cwds?: readonly string[];
  /** Deletes nothing, and says what would be deleted. */
  readonly preview?: boolean;
}

export interface ClearResult {
  /** How many sessions were deleted, or would be. Those that they started are not counted. */
  readonly sessions: number;
  /** Those of them that were open here. */
  readonly open: readonly string[];
  /** How many stay because they are pinned. */
  readonly pinned: number;
  /** How many stay because a turn runs in them, or something waits for the user. */
  readonly waiting: number;
  /** The size of the history on disk, in bytes. */
  readonly bytes: number;
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

export const parseClearQuery: Parser<ClearQuery> = object<ClearQuery>({
  cwds: optional(list(text)),
  preview: optional(boolean),
});
export const parseClearResult: Parser<ClearResult> = object<ClearResult>({
  sessions: number,
  open: list(text),
  pinned: number,
  waiting: number,
  bytes: number,
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
