import type { SqlRow } from '../file/database.ts';
import type { RecorderStore } from '../recorder.ts';
import { readNumber, textAt } from '../rows.ts';
import { COMPLETE, PINNED } from '../sessions.ts';
import { claimTree, listTree, releaseRemoved, removeRows } from './removeSession.ts';
import { inSteps, STEP_MS } from './steps.ts';
import { readStoredState } from './storedState.ts';

/** Which sessions go. A session must pass all conditions that are there. */
export interface Clearing {
  /** Only sessions of these folders. */
  readonly cwds?: readonly string[];
  /** Only sessions of which this is true. Pinned ones are not asked about. */
  goes?(session: ClearedSession): boolean;
  /** A session that must stay as if something waited in it. */
  stays?(sessionId: string): boolean;
}

export interface ClearedSession {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly archivedAt?: number;
}

export interface ClearPlan {
  /** What can be deleted. Those that such a session started go with it. */
  readonly sessions: readonly ClearedSession[];
  /** How many were left out because they are pinned. */
  readonly pinned: number;
  /** How many were left out because a turn runs in them, or something waits for the user. */
  readonly waiting: number;
}

/** Finds what a query would delete, without keeping the thread for longer than a step. */
export async function planClear(store: RecorderStore, query: Clearing): Promise<ClearPlan> {
  const sessions: ClearedSession[] = [];
  let [pinned, waiting] = [0, 0];
  await inSlices(readCandidates(store, query), (row) => {
    if (row['pinned'] === 1) pinned += 1;
    else {
      const session = toCleared(row);
      if (query.goes?.(session) === false) return;
      if (query.stays?.(session.id) || isWaiting(store, session.id)) waiting += 1;
      else sessions.push(session);
    }
  });
  return { sessions, pinned, waiting };
}

export interface ClearOptions extends Pick<Clearing, 'stays'> {
  /** Called with the ids of what was deleted, those of started sessions too. */
  removed?(ids: readonly string[]): unknown;
  /** Deletes pinned sessions as well: the user named them. */
  readonly evenPinned?: boolean;
}

/** So many sessions are claimed together, each with a heartbeat. */
const BATCH = 100;

/**
 * Deletes the sessions of a plan, in steps: whatever else waits for the thread or the file gets its turn in
 * between. One that was used, pinned, unarchived or opened since stays. Resolves to how many sessions of the
 * plan were deleted. A host that is killed in between leaves whole sessions, and some that no list shows and
 * `removePartial` deletes.
 */
export async function clearSessions(
  store: RecorderStore,
  { sessions }: Pick<ClearPlan, 'sessions'>,
  { stays, removed, evenPinned = false }: ClearOptions = {},
): Promise<number> {
  let count = 0;
  for (let at = 0; at < sessions.length; at += BATCH) {
    const left = sessions.slice(at, at + BATCH);
    const claimed: string[] = [];
    let gone = 0;
    try {
      await inSteps(store.database, () => {
        const session = left.shift();
        if (session === undefined) return false;
        if (stays?.(session.id) || !isUnchanged(store, session, evenPinned)) return true;
        const tree = claimTree(store, session.id);
        if (tree.ok) {
          claimed.push(...tree.data);
          gone += 1;
        }
        return true;
      });
      await removeRows(store, claimed);
    } finally {
      releaseRemoved(store, claimed);
    }
    count += gone;
    await removed?.(claimed);
  }
  return count;
}

/** The sessions that the user began, in pages. */
function* readCandidates({ database }: RecorderStore, { cwds }: Clearing): Generator<SqlRow> {
  const where = cwds === undefined ? '' : `AND workspace_root IN (SELECT value FROM json_each(?))`;
  const values = cwds === undefined ? [] : [JSON.stringify(cwds)];
  for (let last = ''; ; ) {
    const rows = database.all(toCandidates(where), last, ...values, PAGE);
    yield* rows;
    const next = rows.at(-1);
    if (rows.length < PAGE || next === undefined) return;
    last = textAt(next, 'id');
  }
}

const PAGE = 500;
const FIELDS = `id, updated_at, archived_at, ${PINNED} AS pinned`;
const toCandidates = (where: string) =>
  `SELECT ${FIELDS} FROM chat_sessions WHERE id > ? ${where} AND parent_id IS NULL AND ${COMPLETE} ORDER BY id LIMIT ?`;

function toCleared(row: SqlRow): ClearedSession {
  const archived = row['archived_at'];
  return {
    ...{ id: textAt(row, 'id'), updatedAt: readNumber(row, 'updated_at') },
    ...(archived === null ? {} : { archivedAt: readNumber(row, 'archived_at') }),
  };
}

/** Whether nothing happened to the session since it was planned. */
function isUnchanged(
  store: RecorderStore,
  { id, updatedAt, archivedAt }: ClearedSession,
  evenPinned: boolean,
): boolean {
  const row = store.database.get(
    `SELECT ${FIELDS} FROM chat_sessions WHERE id = ? AND ${COMPLETE}`,
    id,
  );
  if (row === undefined || (row['pinned'] === 1 && !evenPinned)) return false;
  const now = toCleared(row);
  if (archivedAt !== undefined && now.archivedAt !== archivedAt) return false;
  return now.updatedAt === updatedAt && !isWaiting(store, id);
}

/** Whether a turn runs in the session or one that it started, or something in them waits for the user. */
export function isWaiting(store: RecorderStore, sessionId: string): boolean {
  return listTree(store.database, sessionId).some(
    (id) =>
      readStoredState(store, id) !== 'idle' || store.database.get(UNREVIEWED, id, id) !== undefined,
  );
}

const UNREVIEWED = `SELECT 1 FROM chat_unreviewed WHERE session_id = ?
  UNION ALL SELECT 1 FROM chat_entries WHERE session_id = ? AND unreviewed = 1 LIMIT 1`;

/** Calls `visit` with each item; whatever else waits for the thread gets its turn every some milliseconds. */
async function inSlices<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
  let started = performance.now();
  for (const item of items) {
    visit(item);
    if (performance.now() - started < STEP_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    started = performance.now();
  }
}
