import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { getCode } from '../faults.ts';

/** How long another process is waited for, and how often it is looked for, in milliseconds. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 20;

/** The work of this process on each file. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs work that reads a file and writes it again after all other such work, of this process and of other
 * processes of the user. Without it, what one of them adds is lost to the next. If another process takes too
 * long, the work runs all the same.
 */
export function withLockFile<T>(
  file: string,
  work: () => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  const key = path.resolve(file);
  const before = queues.get(key) ?? Promise.resolve();
  const next = before.then(() => runLocked(toLockName(key), work, clock));
  const settled = next.catch(() => undefined);
  queues.set(key, settled);
  void settled.then(() => {
    if (queues.get(key) === settled) queues.delete(key);
  });
  return next;
}

async function runLocked<T>(lock: string, work: () => Promise<T>, clock: Clock): Promise<T> {
  const isOwn = await acquire(lock, clock);
  try {
    return await work();
  } finally {
    if (isOwn) rmSync(lock, { force: true });
  }
}

/** Outside the folder of the file, which may be watched or in a repository. */
function toLockName(file: string): string {
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 24);
  return path.join(tmpdir(), `gatehouse-${process.getuid?.() ?? 'user'}-${hash}.lock`);
}

/** False if the lock stays with another process, or can't be made. */
async function acquire(lock: string, clock: Clock): Promise<boolean> {
  const end = clock.now() + PATIENCE_MS;
  for (;;) {
    const made = make(lock);
    if (made !== undefined) return made;
    if (isLeft(lock)) rmSync(lock, { force: true });
    else if (clock.now() >= end) return false;
    else await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
}

/** Undefined if there is one. */
function make(lock: string): boolean | undefined {
  try {
    const handle = openSync(lock, 'wx', 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    return getCode(error) === 'EEXIST' ? undefined : false;
  }
}

/** Whether the process that made it has ended. One that was just made is still empty. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return getCode(error) === 'ESRCH';
  }
}
