import { integer, list, object, optional, type Parser, record, text, WireError } from './parse.ts';

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
