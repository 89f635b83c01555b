import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { getMessage } from '../../../base/faults.ts';
import {
  type ClearedSession,
  type ClearPlan,
  planClear,
} from '../../../recorder/library/clearSessions.ts';
import { isShown } from '../../../recorder/library/shown.ts';
import type { Settings } from '../../config/settings.ts';
import { hasRetention, noteShown } from '../noteShown.ts';
import type { OpenHost } from '../openHost.ts';
import { clearPlanned } from './deleteSessions.ts';

/** How long after its start a host looks for old sessions, so that nothing waits for it. Milliseconds. */
const FIRST_MS = 60_000;
/** How often it looks again. Windows stay open for weeks. Milliseconds. */
const AGAIN_MS = 6 * 3600 * 1000;
const DAY_MS = 24 * 3600 * 1000;

/** Deletes old sessions as the user's settings say, some time after the start and then every few hours. */
export function keepRetention(host: OpenHost, clock: Clock = systemClock): Disposable {
  let ended = false;
  let timer = clock.after(FIRST_MS, () => void run());
  async function run(): Promise<void> {
    try {
      if (await host.services.configuration.ready()) await applyRetention(host, clock.now());
    } catch (fault) {
      // The file is locked, or the host ends. The next host tries again.
      if (!ended) host.services.warn(`Old sessions were not deleted: ${getMessage(fault)}`);
    }
    if (!ended) timer = clock.after(AGAIN_MS, () => void run());
  }
  return {
    dispose() {
      ended = true;
      timer.dispose();
    },
  };
}

/** Deletes what is older than the settings allow. Resolves to how many sessions that were. */
export async function applyRetention(host: OpenHost, now: number): Promise<number> {
  const { configuration, data, recorder } = host.services;
  const { retention } = configuration.current(data.scratch).settings;
  if (!hasRetention(retention)) return 0;
  for (const { id } of host.sessions.all()) noteShown(host.services, id);
  // A session that is shown is in use, in any window.
  const stays = (id: string) =>
    host.sessions.find(id) !== undefined || isShown(recorder.store, id, now);
  const plan = await planClear(recorder.store, { stays });
  const old = selectOld(plan.sessions, retention, now);
  return old.length === 0 ? 0 : clearPlanned(host, { ...plan, sessions: old }, stays);
}

/** The sessions that one of the limits does not keep. */
export function selectOld(
  sessions: ClearPlan['sessions'],
  { keepDays, keepArchivedDays, keepNewest }: Settings['retention'],
  now: number,
): readonly ClearedSession[] {
  const isOld = (since: number, days: number) => days > 0 && now - since > days * DAY_MS;
  // Of a damaged row the time is unknown, so its session can't be too old.
  const known = sessions.filter(({ updatedAt }) => updatedAt > 0);
  const newest = known.toSorted((a, b) => b.updatedAt - a.updatedAt);
  return newest.filter(
    ({ updatedAt, archivedAt }, at) =>
      isOld(updatedAt, keepDays) ||
      (archivedAt !== undefined && isOld(Math.max(archivedAt, updatedAt), keepArchivedDays)) ||
      (keepNewest > 0 && at >= keepNewest),
  );
}
