import { integer, list, object, optional, type Parser, record, text, WireError } from './parse.ts';

/** Messages on one page at most. */
const HISTORY_LIMIT = 500;

/** A page of a session's messages, newest first among pages. */
export interface HistoryQuery {
  readonly sessionId: string;
  /** What the last page gave; absent: the newest messages. */
  readonly before?: string;
  /** Messages on the page, 1 to `HISTORY_LIMIT`. */
  readonly limit: number;
}

export interface HistoryPage {
  /** In the order they happened, as `session/load` would send them. */
  readonly updates: readonly HistoryUpdate[];
  /** Where the page before this one ends; absent on the first page of the session. */
  readonly before?: string;
}

/** A session update of ACP. Its fields are ACP's and are read where updates are. */
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
