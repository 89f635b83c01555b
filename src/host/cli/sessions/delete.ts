import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import {
  type ClearedSession,
  clearSessions,
  isWaiting,
  planClear,
} from '../../../recorder/library/clearSessions.ts';
import { createSearchIndex } from '../../../recorder/library/search/searchIndex.ts';
import type { Command } from '../../command.ts';
import { removeLogs } from '../../decisions/decisionLog.ts';
import { openScratchFolders } from '../../services/scratchFolders.ts';
import { selectOld } from '../../session/stored/retention.ts';
import {
  Failed,
  Misuse,
  type OpenHistory,
  parseWords,
  requireSession,
  withHistory,
} from './request.ts';

/** `gatehouse sessions delete`: the named sessions, or all that are not pinned and in which nothing waits. */
export const deleteCommand: Command = async (io) => {
  const { positionals, values } = parseWords(
    io.args,
    {
      ...{ all: { type: 'boolean' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
      ...{ cwd: { type: 'string' }, 'unused-days': { type: 'string' } },
    },
    [0, Number.POSITIVE_INFINITY],
  );
  const days = toDays(values['unused-days']);
  const isAll = values.all === true || days !== undefined;
  if (isAll === positionals.length > 0) throw new Misuse('name sessions, or give --all.');
  const cwd = values.cwd === undefined ? undefined : path.resolve(io.cwd, values.cwd);
  return withHistory(io, values['user-data'], async (history) => {
    const plan = isAll
      ? await planAll(history, cwd, days)
      : { sessions: positionals.map((id) => toNamed(history, id)), pinned: 0, waiting: 0 };
    const found = plan.sessions.length;
    const deleted =
      values['dry-run'] === true ? found : await remove(history, plan.sessions, !isAll);
    if (values['dry-run'] !== true) await updateIndex(history);
    const counts = { deleted, pinned: plan.pinned, waiting: plan.waiting + found - deleted };
    const verb = values['dry-run'] === true ? 'Would delete' : 'Deleted';
    const text = `${verb} ${deleted}. Stay: ${counts.pinned} pinned, ${counts.waiting} in use.`;
    io.stdout.write(`${values.json === true ? JSON.stringify(counts) : text}\n`);
    return !isAll && counts.waiting > 0 ? 1 : 0;
  });
};

async function planAll({ recorder }: OpenHistory, cwd: string | undefined, days?: number) {
  const plan = await planClear(recorder.store, cwd === undefined ? {} : { cwds: [cwd] });
  if (days === undefined) return plan;
  const limits = { keepDays: days, keepArchivedDays: 0, keepNewest: 0 };
  return { ...plan, sessions: selectOld(plan.sessions, limits, Date.now()) };
}

/** Throws `Failed` for a session that something waits in. A pinned one goes, since it was named. */
function toNamed(history: OpenHistory, sessionId: string): ClearedSession {
  const { updatedAt } = requireSession(history, sessionId);
  if (!isWaiting(history.recorder.store, sessionId)) return { id: sessionId, updatedAt };
  throw new Failed(
    `${sessionId} runs a turn, or something in it waits for you. Nothing was deleted.`,
  );
}

async function remove(
  { recorder, data }: OpenHistory,
  sessions: readonly ClearedSession[],
  evenPinned: boolean,
) {
  const scratch = openScratchFolders(data);
  return clearSessions(
    recorder.store,
    { sessions },
    {
      evenPinned,
      async removed(ids) {
        for (const id of ids) await scratch.remove(id);
        await removeLogs(path.join(data.state, 'decisions'), ids);
      },
    },
  );
}

/** What was deleted must not stay readable in the index of the search. */
async function updateIndex({ recorder, data }: OpenHistory): Promise<void> {
  const file = path.join(data.state, 'search.db');
  if (!existsSync(file)) return;
  const options = { clock: systemClock, patienceMs: Number.POSITIVE_INFINITY };
  const index = createSearchIndex(recorder.store, file, options);
  try {
    await index.update();
  } finally {
    index.close();
  }
}

function toDays(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const days = Number(given);
  if (Number.isInteger(days) && days > 0) return days;
  throw new Misuse('--unused-days must be an integer from 1 on.');
}
