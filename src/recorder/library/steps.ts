import type { Database } from '../file/database.ts';

/** The longest that a step may keep the thread, and other windows from writing, in milliseconds. */
export const STEP_MS = 10;

/**
 * SQLite writes the log back to the file with the commit that makes it so many pages long, which takes longer than a
 * step at its own limit.
 */
const STEP_PAGES = 200;
const USUAL_PAGES = 1_000;

/**
 * Calls `unit` until it returns false, in steps of about 10 ms, each one transaction. Between two steps,
 * whatever else waits for the thread or the file gets its turn.
 * Rejects with a `BusyError` when another program locks the file for 30 s.
 */
export async function inSteps(database: Database, unit: () => boolean): Promise<void> {
  try {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      await database.free();
      database.get(`PRAGMA wal_autocheckpoint = ${STEP_PAGES}`);
    } while (database.transaction(() => runStep(unit)));
  } finally {
    database.get(`PRAGMA wal_autocheckpoint = ${USUAL_PAGES}`);
  }
}

/** Whether something is left to do. */
function runStep(unit: () => boolean): boolean {
  const started = performance.now();
  while (unit()) if (performance.now() - started >= STEP_MS) return true;
  return false;
}
