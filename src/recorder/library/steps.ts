import type { Database } from '../file/database.ts';

/** The longest that a step may keep the thread, and other windows from writing, in milliseconds. */
export const STEP_MS = 20;

/**
 * Calls `unit` until it returns false, in steps of about 20 ms, each one transaction. Between two steps,
 * whatever else waits for the thread or the file gets its turn.
 * Rejects with a `BusyError` when another program locks the file for 30 s.
 */
export async function inSteps(database: Database, unit: () => boolean): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
    await database.free();
  } while (database.transaction(() => runStep(unit)));
}

/** Whether something is left to do. */
function runStep(unit: () => boolean): boolean {
  const started = performance.now();
  while (unit()) if (performance.now() - started >= STEP_MS) return true;
  return false;
}
