import { processMark, readMark } from '../../base/disk/processMark.ts';
import type { RecorderStore } from '../recorder.ts';

/** For so long a session counts as shown if it can't be seen whether the host that showed it still runs. */
const BELIEVED_MS = 24 * 3600 * 1000;

/** Notes that this host has the session open. Its time of change stays. */
export function setShown({ database, clock }: RecorderStore, sessionId: string): void {
  const shown = JSON.stringify({ host: processMark(), at: clock.now() });
  database.run(SET, shown, sessionId);
}

const SET =
  "UPDATE chat_sessions SET metadata_json = json_set(metadata_json, '$.shown', json(?)) WHERE id = ?";

/** Whether a host that still runs had the session open, perhaps in another window. */
export function isShown({ database }: RecorderStore, sessionId: string, now: number): boolean {
  const row = database.get(SHOWN, sessionId) ?? {};
  const { host, at } = row;
  if (typeof host !== 'string' || typeof at !== 'number') return false;
  const state = readMark(host);
  return state === 'running' || (state === 'unknown' && Math.abs(now - at) < BELIEVED_MS);
}

const SHOWN = `SELECT json_extract(metadata_json, '$.shown.host') AS host,
  json_extract(metadata_json, '$.shown.at') AS at FROM chat_sessions WHERE id = ?`;
