import { createId, type IdPrefix } from '../../base/ids.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { SqlRow } from '../file/database.ts';
import type { RecorderStore } from '../recorder.ts';
import { recordAt, textAt } from '../rows.ts';
import { createParseRow, type ExportedRow } from './exportedRow.ts';
import { readLineBlocks } from './lines.ts';
import { removeSession } from './removeSession.ts';
import { completeSession, insertRow, renameIds, type Table } from './rows.ts';

/**
 * Imports JSON lines of an export (spec CS-97) and resolves to the session's id. Rows are as they were, but
 * ids that exist here are replaced, and nothing is granted: the session's rules and its approval mode are
 * left out, it isn't archived, and a turn without an end counts as cancelled. `cwd` replaces its folder.
 *
 * The file is read twice, in blocks: the first pass finds every mistake before anything is stored. A session
 * that is not complete is in no list, so nothing is ever half imported. Fails with the number of the line
 * that is wrong.
 */
export async function importSession(
  store: RecorderStore,
  { file, cwd }: { readonly file: string; readonly cwd?: string },
): Promise<Outcome<string>> {
  const ids = new Map<string, string>();
  const checked = await check(store, file, ids);
  if (!checked.ok) return checked;
  const sessionId = ids.get(checked.data) ?? checked.data;
  const change: Change = { ids, cwd, now: store.clock.now(), progress: 'none' };
  try {
    const stored = await insert(store, file, change);
    if (!stored.ok) return stored;
    completeSession(store.database, sessionId);
    change.progress = 'done';
    return success(sessionId);
  } finally {
    // If the file is imported twice at a time, a session of that name may be the other import's.
    if (change.progress !== 'none') store.writers.release(sessionId);
    if (change.progress === 'begun') await removeSession(store, sessionId);
  }
}

/** Reads the whole file, and notes new ids for those that are taken. Resolves to the session's id in it. */
async function check(
  { database }: RecorderStore,
  file: string,
  ids: Map<string, string>,
): Promise<Outcome<string>> {
  const parse = createParseRow(database);
  let session: string | undefined;
  const read = await readLineBlocks(file, (lines) => {
    for (const line of lines) {
      const { table, row } = parse(line);
      const id = textAt(row, 'id');
      session ??= id;
      const taken = database.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined;
      if (taken) ids.set(id, createId(PREFIXES[table]));
    }
  });
  if (!read.ok) return read;
  return session === undefined ? failure(`${file} is empty.`) : success(session);
}

const PREFIXES: Readonly<Record<Table, IdPrefix>> = {
  chat_sessions: 'ses',
  chat_messages: 'msg',
  chat_parts: 'prt',
};

interface Change {
  readonly ids: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `claimed`: the session is named as ours; `begun`: some of its rows are stored; `done`: all are. */
  progress: 'none' | 'claimed' | 'begun' | 'done';
}

/** The file may be another one by now, so each line is checked again. */
function insert(store: RecorderStore, file: string, change: Change): Promise<Outcome<void>> {
  const { database, writers } = store;
  const parse = createParseRow(database);
  return readLineBlocks(file, (lines) => {
    database.transaction(() => {
      for (const line of lines) {
        const { table, row } = parse(line);
        const own = rename({ table, row }, change);
        insertRow(database, table, own);
        if (table !== 'chat_sessions') continue;
        // Other hosts delete what nobody completes.
        writers.claim(textAt(own, 'id'));
        change.progress = 'claimed';
      }
    });
    if (change.progress === 'claimed') change.progress = 'begun';
  });
}

function rename({ table, row }: ExportedRow, { ids, cwd, now }: Change): SqlRow {
  const changed: Record<string, SqlRow[string]> = { ...row };
  for (const key of ['id', 'session_id', 'message_id']) {
    const value = row[key];
    const id = typeof value === 'string' ? ids.get(value) : undefined;
    if (id !== undefined) changed[key] = id;
  }
  if (table === 'chat_parts' && ids.size > 0) return renameIds(changed, ids);
  if (table === 'chat_messages') return withEnd(changed, now);
  if (table !== 'chat_sessions') return changed;
  const metadata: Record<string, unknown> = { ...recordAt(row, 'metadata_json') };
  for (const own of OWN) delete metadata[own];
  const { title } = metadata;
  const short = typeof title === 'string' ? { title: title.slice(0, LONGEST_TITLE) } : {};
  return {
    ...changed,
    // A session of this machine that seems to have started it would tell of it, and take it along when it is deleted.
    ...{ parent_id: null, parent_message_id: null },
    ...(cwd !== undefined && { workspace_root: cwd }),
    permissions_json: '[]',
    archived_at: null,
    metadata_json: JSON.stringify({ ...metadata, ...short, partial: true }),
  };
}

/** What only the machine that exported the session may say of it. */
const OWN = ['approval', 'approved_plan', 'task', 'shown'];

/** Each list of sessions holds all of it. Characters; users can enter 200. */
const LONGEST_TITLE = 500;

/**
 * A file must not start anything on the machine of whoever opens it, so a turn without an end is cancelled.
 * The JSON is written anew, because SQLite and we read another one of two fields with the same name.
 */
function withEnd(row: SqlRow, now: number): SqlRow {
  const metadata = recordAt(row, 'metadata_json');
  const end = metadata['finish_reason'] ?? metadata['aborted_at'] ?? undefined;
  if (row['role'] !== 'assistant' || end !== undefined) return row;
  return { ...row, metadata_json: JSON.stringify({ ...metadata, aborted_at: now }) };
}
