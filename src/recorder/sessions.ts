import type { Clock } from '../base/clock.ts';
import { createId } from '../base/ids.ts';
import { parseJson } from '../base/json.ts';
import type { Usage } from '../base/stream/stored.ts';
import type { Database } from './file/database.ts';
import type { NewSession, SessionPage, StoredSession } from './records.ts';
import { numberAt, optionalTextAt, textAt, toSession } from './rows.ts';

/** Access to the `chat_sessions` table. */
export interface SessionTable {
  createSession(session: NewSession): StoredSession;
  session(id: string): StoredSession | undefined;
  /**
   * Pinned sessions first, all of them on the first page; then the newest. `cursor` comes from the
   * previous page.
   */
  listSessions(query: SessionQuery): SessionPage;
  /**
   * The sessions of a folder that a user may have to act on, newest first, without those that another
   * session started: all whose last turn has no end or that have proposals, and the newest with changes
   * that were not reviewed.
   */
  openEnds(cwd: string): readonly OpenEnd[];
  setPermissions(sessionId: string, rules: readonly unknown[]): void;
  permissions(sessionId: string): unknown[];
  setTitle(sessionId: string, title: string): void;
  /** The session's time of change stays, like that of an archived one. */
  setPinned(sessionId: string, pinned: boolean): void;
  setArchived(sessionId: string, archived: boolean): void;
  /** Continues the session with another agent. An approval of a plan ends. */
  setAgent(sessionId: string, agent: string): void;
  /** The user has approved the plan of this call (spec CS-35). */
  setApprovedPlan(sessionId: string, toolCallId: string): void;
  /** Whether an approval counts: a rewind to before its call withdraws it. */
  hasApprovedPlan(sessionId: string): boolean;
  /** The user's choice for this session. */
  setModel(sessionId: string, model: NonNullable<StoredSession['model']>): void;
  /** Stores the approval mode, which comes back with the session. */
  setApproval(sessionId: string, approval: string): void;
  /** Stores the ids of the tools that searches have found, which come back with the session. */
  setFoundTools(sessionId: string, ids: readonly string[]): void;
  /** Stores the names of the skills that the session is told of, which come back with it (spec CS-37). */
  setSkills(sessionId: string, names: readonly string[]): void;
  /** Adds one to a counter of the session and returns the sum. */
  count(sessionId: string, name: string): number;
  /** Adds to the session's totals (spec CS-89). */
  addUsage(sessionId: string, usage: Usage, costUsd?: number): void;
  /** What a session and all that it started have used: tokens and US dollars. */
  usageOfAll(sessionId: string): { readonly tokens: number; readonly cost: number };
}

interface SessionQuery {
  readonly cwd?: string;
  /** Lists archived sessions too. */
  readonly archived?: boolean;
  readonly cursor?: string;
  readonly limit: number;
}

/** What a session waits with, apart from its last turn. */
export interface OpenEnd {
  readonly sessionId: string;
  /** It has proposals, or changes that were not reviewed. */
  readonly changes: boolean;
}

export function sessionTable(database: Database, clock: Clock): SessionTable {
  return {
    createSession: (session) => createSession(database, clock.now(), session),
    session: (id) => readSession(database, id),
    listSessions: (query) => listSessions(database, query),
    openEnds: (cwd) =>
      database
        .all(OPEN_ENDS, cwd, MOST_OPEN, cwd, MOST_UNREVIEWED)
        .map((row) => ({ sessionId: textAt(row, 'id'), changes: numberAt(row, 'changes') === 1 })),
    setPermissions: (sessionId, rules) => {
      const sql = 'UPDATE chat_sessions SET permissions_json = ?, updated_at = ? WHERE id = ?';
      database.run(sql, JSON.stringify(rules), clock.now(), sessionId);
    },
    permissions: (sessionId) => {
      const row = database.get(
        'SELECT permissions_json FROM chat_sessions WHERE id = ?',
        sessionId,
      );
      if (row === undefined) return [];
      const rules = parseJson(optionalTextAt(row, 'permissions_json') ?? '');
      // It is unknown what a damaged list denied.
      return Array.isArray(rules) ? rules : [{ permission: '*', pattern: '*', action: 'ask' }];
    },
    setTitle: (sessionId, title) => setMetadata(database, clock.now(), sessionId, { title }),
    setPinned: (sessionId, pinned) => {
      const set = pinned ? "json_set(metadata_json, '$.pinned', json('true'))" : UNPINNED;
      database.run(`UPDATE chat_sessions SET metadata_json = ${set} WHERE id = ?`, sessionId);
    },
    setArchived: (sessionId, archived) => {
      const sql = 'UPDATE chat_sessions SET archived_at = ? WHERE id = ?';
      database.run(sql, archived ? clock.now() : null, sessionId);
    },
    ...agentTable(database, clock),
    setModel: (sessionId, model) => {
      const sql = 'UPDATE chat_sessions SET model_json = ?, updated_at = ? WHERE id = ?';
      database.run(sql, JSON.stringify(model), clock.now(), sessionId);
    },
    setApproval: (sessionId, approval) =>
      setMetadata(database, clock.now(), sessionId, { approval }),
    setFoundTools: (sessionId, found_tools) =>
      setMetadata(database, clock.now(), sessionId, { found_tools }),
    setSkills: (sessionId, skills) => setMetadata(database, clock.now(), sessionId, { skills }),
    // It writes, so it waits as writes do.
    count: (sessionId, name) => database.transaction(() => count(database, sessionId, name)),
    addUsage: (sessionId, usage, costUsd = 0) => addUsage(database, sessionId, usage, { costUsd }),
    usageOfAll: (sessionId) => {
      const row = database.get(USAGE_OF_ALL, sessionId) ?? {};
      return { tokens: numberAt(row, 'tokens'), cost: numberAt(row, 'cost') };
    },
  };
}

type AgentTable = Pick<SessionTable, 'setAgent' | 'setApprovedPlan' | 'hasApprovedPlan'>;

function agentTable(database: Database, clock: Clock): AgentTable {
  return {
    setAgent: (sessionId, agent) => {
      database.run(SET_AGENT, agent, clock.now(), sessionId);
    },
    setApprovedPlan: (sessionId, approved_plan) =>
      setMetadata(database, clock.now(), sessionId, { approved_plan }),
    hasApprovedPlan: (sessionId) => database.get(APPROVED_PLAN, sessionId) !== undefined,
  };
}

const SET_AGENT = `UPDATE chat_sessions SET agent = ?, updated_at = ?,
  metadata_json = json_remove(metadata_json, '$.approved_plan') WHERE id = ?`;
const APPROVED_PLAN = `
  SELECT 1 FROM chat_parts AS part JOIN chat_messages AS message ON message.id = part.message_id
  WHERE part.session_id = ?1 AND json_extract(message.metadata_json, '$.hidden_at') IS NULL
    AND part.tool_call_id =
      (SELECT json_extract(metadata_json, '$.approved_plan') FROM chat_sessions WHERE id = ?1)`;

/** UNION ends also where a damaged history has a circle. */
const USAGE_OF_ALL = `
  WITH RECURSIVE started(id) AS (
    SELECT ? UNION SELECT each.id FROM chat_sessions AS each JOIN started ON each.parent_id = started.id
  )
  SELECT coalesce(sum(total_tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS cost
  FROM chat_sessions WHERE id IN (SELECT id FROM started)`;

/** Adds these fields to the session's metadata. */
function setMetadata(
  database: Database,
  now: number,
  sessionId: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
): void {
  const sql = `UPDATE chat_sessions SET metadata_json = json_patch(metadata_json, ?),
    updated_at = ? WHERE id = ?`;
  database.run(sql, JSON.stringify(fields), now, sessionId);
}

function createSession(database: Database, now: number, session: NewSession): StoredSession {
  const id = createId('ses', now);
  const metadata = {
    ...session.metadata,
    ...(session.title !== undefined && { title: session.title }),
  };
  database.run(
    `INSERT INTO chat_sessions (id, agent, parent_id, parent_message_id, workspace_root, model_json, metadata_json, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    session.agent,
    session.parent ?? null,
    session.parentMessage ?? null,
    session.cwd,
    session.model ? JSON.stringify(session.model) : null,
    JSON.stringify(metadata),
    now,
    now,
  );
  const created = readSession(database, id);
  if (created === undefined) throw new Error('The new session was not stored in the history.');
  return created;
}

function readSession(database: Database, id: string): StoredSession | undefined {
  const row = database.get('SELECT * FROM chat_sessions WHERE id = ?', id);
  return row && toSession(row);
}

function listSessions(database: Database, query: SessionQuery): SessionPage {
  const listed = `(parent_id IS NULL OR json_extract(metadata_json, '$.task.inspectable') = 1) AND ${COMPLETE}`;
  const where = [query.archived === true ? listed : `archived_at IS NULL AND ${listed}`];
  const values: (string | number)[] = [];
  if (query.cwd !== undefined) {
    where.push('workspace_root = ?');
    values.push(query.cwd);
  }
  const select = (more: string) =>
    `SELECT * FROM chat_sessions WHERE ${[...where, more].join(' AND ')}
     ORDER BY updated_at DESC, id DESC LIMIT ?`;
  const pinned =
    query.cursor === undefined ? database.all(select(PINNED), ...values, MOST_PINNED) : [];
  const position = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const rows = database.all(
    select(`NOT ${PINNED}${position ? ' AND (updated_at, id) < (?, ?)' : ''}`),
    ...values,
    ...(position ? [position.time, position.id] : []),
    query.limit + 1,
  );
  const page = rows.slice(0, query.limit).map(toSession);
  const sessions = [...pinned.map(toSession), ...page];
  const last = page.at(-1);
  if (rows.length <= query.limit || last === undefined) return { sessions };
  return { sessions, nextCursor: `${last.updatedAt}:${last.id}` };
}

/** All pinned sessions are on the first page, so their number has a bound. */
const MOST_PINNED = 1000;
const UNPINNED = "json_remove(metadata_json, '$.pinned')";
export const PINNED = "coalesce(json_extract(metadata_json, '$.pinned'), 0)";

/** A session that is being copied, imported or deleted has the mark, so that nobody opens a part of it. */
export const COMPLETE = "json_extract(metadata_json, '$.partial') IS NULL";

/** Users may never review what is on disk already, so only the marks of so many sessions come back. */
const MOST_UNREVIEWED = 20;
/**
 * A folder may have had thousands of sessions, and each of these is read to find out whether it asks. What
 * waits in an older one comes back when the user opens it.
 */
const MOST_OPEN = 500;
const MINE = `workspace_root = ? AND parent_id IS NULL AND archived_at IS NULL AND ${COMPLETE}`;
const OPEN_ENDS = `
  SELECT id, max(changes) AS changes, updated_at FROM (
    SELECT * FROM (
      SELECT id, updated_at, EXISTS (SELECT 1 FROM chat_proposals WHERE session_id = chat_sessions.id) AS changes
      FROM chat_sessions WHERE ${MINE} AND (changes OR EXISTS (
        SELECT 1 FROM chat_messages WHERE rowid = (
          SELECT rowid FROM chat_messages INDEXED BY chat_messages_order
          WHERE session_id = chat_sessions.id ORDER BY rowid DESC LIMIT 1
        ) AND role = 'assistant' AND json_extract(metadata_json, '$.finish_reason') IS NULL
      ))
      ORDER BY updated_at DESC LIMIT ?
    )
    UNION ALL
    SELECT * FROM (
      SELECT id, updated_at, 1 FROM chat_sessions
      WHERE ${MINE} AND id IN (SELECT session_id FROM chat_unreviewed
        UNION SELECT session_id FROM chat_entries WHERE unreviewed = 1)
      ORDER BY updated_at DESC LIMIT ?
    )
  ) GROUP BY id ORDER BY updated_at DESC, id DESC`;

function parseCursor(cursor: string): { readonly time: number; readonly id: string } {
  const [, time, id] = /^(\d+):(ses_\w+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) {
    throw new RangeError(
      `"${cursor}" is not a valid cursor of a session list. Start again without one.`,
    );
  }
  return { time: Number(time), id };
}

/** Counters belong to the session, so they outlive the process that counts. */
function count(database: Database, sessionId: string, name: string): number {
  const at = `$.counters.${JSON.stringify(name)}`;
  const row = database.get(
    `UPDATE chat_sessions SET metadata_json = json_set(
       metadata_json, '$.counters', json(CASE json_type(metadata_json, '$.counters')
         WHEN 'object' THEN json_extract(metadata_json, '$.counters') ELSE '{}' END),
       ?, coalesce(json_extract(metadata_json, ?), 0) + 1)
     WHERE id = ? RETURNING json_extract(metadata_json, ?) AS count`,
    at,
    at,
    sessionId,
    at,
  );
  return row === undefined ? Number.POSITIVE_INFINITY : numberAt(row, 'count');
}

/** Session totals (spec CS-89). The total includes tokens read from and written to the cache. */
function addUsage(
  database: Database,
  sessionId: string,
  usage: Usage,
  { costUsd = 0, now = 0 }: { readonly costUsd?: number; readonly now?: number },
): void {
  database.run(
    `UPDATE chat_sessions SET prompt_tokens = prompt_tokens + ?,
       completion_tokens = completion_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
       cache_read = cache_read + ?, cache_write = cache_write + ?, total_tokens = total_tokens + ?,
       cost_usd = cost_usd + ?, updated_at = max(updated_at, ?) WHERE id = ?`,
    usage.input,
    usage.output,
    usage.reasoning,
    usage.cache_read,
    usage.cache_write,
    usage.input + usage.output + usage.cache_read + usage.cache_write,
    costUsd,
    now,
    sessionId,
  );
}

/** Sets the session's time of change and adds usage that is not in its totals yet. */
export function touchSession(
  database: Database,
  sessionId: string,
  now: number,
  usage: Usage | undefined,
  costUsd = 0,
): void {
  if (usage !== undefined) addUsage(database, sessionId, usage, { now, costUsd });
  else database.run('UPDATE chat_sessions SET updated_at = ? WHERE id = ?', now, sessionId);
}
