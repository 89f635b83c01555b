import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { getCode } from '../faults.ts';
import { processMark, readMark } from './processMark.ts';

/** How long another process is waited for, and how often it is looked for, in milliseconds. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 20;
/** No work takes as long. The lock's process was killed then, and another one may have got its number. */
const LEFT_MS = 30_000;

/** The work of this process on each file. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs work that reads a file and writes it again after all other such work, of this process and of other
 * processes of the user. Without it, what one of them adds is lost to the next. If another process takes too
 * long, the work runs all the same.
 *
 * `withFileLock` of the recorder is for work that is done at once: it blocks the thread, and it needs SQLite, which
 * the extension doesn't load.
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

/** Slow to load, so it isn't loaded with the extension. */
const loadCrypto = () => process.getBuiltinModule('node:crypto');

/** Outside the folder of the file, which may be watched or in a repository. */
function toLockName(file: string): string {
  const { createHash } = loadCrypto();
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 24);
  return path.join(tmpdir(), `gatehouse-${process.getuid?.() ?? 'user'}-${hash}.lock`);
}

/** False if the lock stays with another process, or can't be made. */
async function acquire(lock: string, clock: Clock): Promise<boolean> {
  const end = clock.now() + PATIENCE_MS;
  for (;;) {
    const made = make(lock);
    if (made !== undefined) return made;
    if (isLeft(lock, clock) && takeAway(lock, clock)) continue;
    if (clock.now() >= end) return false;
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
}

/** Undefined if there is one. */
function make(lock: string): boolean | undefined {
  let handle: number;
  try {
    handle = openSync(lock, 'wx', 0o600);
  } catch (error) {
    return getCode(error) === 'EEXIST' ? undefined : false;
  }
  try {
    writeSync(handle, processMark());
    return true;
  } catch {
    // The disk is full. An empty lock would hold up the others.
    rmSync(lock, { force: true });
    return false;
  } finally {
    closeSync(handle);
  }
}

/** Whether the process that made it has ended. One that was just made is still empty. */
function isLeft(lock: string, clock: Clock): boolean {
  try {
    if (clock.now() - statSync(lock).mtimeMs > LEFT_MS) return true;
    return readMark(readFileSync(lock, 'utf8')) === 'ended';
  } catch {
    return false;
  }
}

/** Of several processes that find a lock left, one renames it. False for the others, which look again. */
function takeAway(lock: string, clock: Clock): boolean {
  const own = `${lock}.${loadCrypto().randomUUID()}`;
  try {
    renameSync(lock, own);
    const left = isLeft(own, clock);
    if (left) rmSync(own, { force: true });
    // Meanwhile, another process took the old one away and made its own.
    else renameSync(own, lock);
    return left;
  } catch {
    return false;
  }
}
