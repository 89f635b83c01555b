import { DatabaseSync } from './sqlite.ts';

/** How long to wait for another process, in milliseconds. The work under the lock takes a few. */
const LOCK_WAIT_MS = 10_000;

/**
 * Runs `work` while no other process holds the lock of this file. SQLite locks it by means of the system,
 * so the lock of a process that was killed is released at once. Throws if the lock can't be had in `wait`
 * milliseconds.
 */
export function withFileLock<T>(file: string, work: () => T, wait = LOCK_WAIT_MS): T {
  const lock = new DatabaseSync(file, { timeout: wait });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    // Closing ends the transaction, also when it was never begun.
    lock.close();
  }
}
