import { statSync } from 'node:fs';
import { RequestError } from '@agentclientprotocol/sdk';
import type { ClearQuery, ClearResult } from '../../../acp/gatehouse/sessionList.ts';
import { getMessage } from '../../../base/faults.ts';
import {
  type Clearing,
  type ClearPlan,
  clearSessions,
  isWaiting,
  planClear,
} from '../../../recorder/library/clearSessions.ts';
import { removeSession } from '../../../recorder/library/removeSession.ts';
import type { OpenHost } from '../openHost.ts';

/**
 * `session/delete`: closes the session if it is open, and deletes its rows and those of what it started. Succeeds
 * for a session that is not stored, as ACP says. Throws a request error while another window runs a turn of it.
 */
export async function deleteSession(host: OpenHost, sessionId: string): Promise<object> {
  const { services, sessions } = host;
  if (sessions.find(sessionId) !== undefined) await sessions.close(sessionId);
  if (services.recorder.session(sessionId) === undefined) return {};
  const removed = await removeSession(services.recorder.store, sessionId);
  if (!removed.ok) throw RequestError.invalidParams({ sessionId }, removed.error);
  await removeFiles(host, removed.data);
  services.search.later();
  services.sessionsChanged();
  return {};
}

/** Deletes all sessions of some folders or of all, or says what that would delete. */
export async function clearStored(host: OpenHost, query: ClearQuery): Promise<ClearResult> {
  const { cwds, preview = false } = query;
  const only = cwds === undefined ? {} : { cwds };
  const plan = await planClear(host.services.recorder.store, { ...only, stays: keepsBusy(host) });
  const { pinned, waiting } = plan;
  const bytes = statSync(host.services.data.database, { throwIfNoEntry: false })?.size ?? 0;
  if (preview) return { sessions: plan.sessions.length, open: [], pinned, waiting, bytes };
  const open = await closeIdle(host, plan);
  const sessions = await clearPlanned(host, plan);
  return { sessions, open, pinned, waiting: waiting + plan.sessions.length - sessions, bytes };
}

/** Deletes the sessions of a plan that are not open here, with the files that belong to them. */
export async function clearPlanned(
  host: OpenHost,
  plan: ClearPlan,
  stays = (id: string) => host.sessions.find(id) !== undefined,
): Promise<number> {
  const { services } = host;
  try {
    return await clearSessions(services.recorder.store, plan, {
      stays,
      removed: (ids) => removeFiles(host, ids),
    });
  } finally {
    services.search.later();
    services.sessionsChanged();
  }
}

/** Closes the open sessions of a plan in which nothing runs. Resolves to their ids. */
async function closeIdle({ services, sessions }: OpenHost, plan: ClearPlan): Promise<string[]> {
  const open: string[] = [];
  for (const { id } of plan.sessions) {
    const session = sessions.find(id);
    // It may have begun a turn since it was planned.
    if (session?.status !== 'idle' || isWaiting(services.recorder.store, id)) continue;
    await sessions.close(id);
    open.push(id);
  }
  return open;
}

function keepsBusy({ sessions }: OpenHost): NonNullable<Clearing['stays']> {
  return (id) => (sessions.find(id)?.status ?? 'idle') !== 'idle';
}

/** Deletes the scratch folders and the decision logs of deleted sessions. They are gone even if that fails. */
async function removeFiles({ services }: OpenHost, ids: readonly string[]): Promise<void> {
  try {
    for (const id of ids) await services.scratch.remove(id);
    await services.decisions.log.remove(ids);
  } catch (fault) {
    services.warn(
      `Files of deleted sessions are left in ${services.data.root}: ${getMessage(fault)}`,
    );
  }
}
