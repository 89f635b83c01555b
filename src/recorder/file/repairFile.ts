import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { migrate } from './connect.ts';
import { isBusy, isDamage } from './faults.ts';
import { adoptOrphans } from './orphans.ts';
import { identify, setAside, toLockFile } from './parts.ts';
import { type Salvaged, salvage } from './salvage.ts';
import { DatabaseSync } from './sqlite.ts';

export interface RepairJob {
  readonly file: string;
  /** Of the file that was found damaged; undefined when it could not even be opened. */
  readonly identity: string | undefined;
  readonly migrations: readonly string[];
  /** Milliseconds since the epoch, for the name of the damaged file. */
  readonly now: number;
  /** `check`: only says whether it is damaged. `certain`: replaced whatever a check finds. */
  readonly mode: 'check' | 'repair' | 'certain';
}

export type Repair =
  | { readonly kind: 'sound' | 'damaged' }
  /** Another host has replaced the file already. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'salvaged'; readonly aside: string; readonly kept: Salvaged }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Checks a whole database and replaces a damaged one by a new one with what could be read. The damaged one
 * is kept under another name. Takes as long as the file is large: for a worker thread.
 */
export function repairFile(job: RepairJob): Repair {
  if (job.mode === 'check') return { kind: isSound(job.file) ? 'sound' : 'damaged' };
  return underLock(job.file, () => {
    if (job.identity !== undefined && identify(job.file) !== job.identity) {
      return { kind: 'replaced' };
    }
    if (job.mode === 'repair' && isSound(job.file)) return { kind: 'sound' };
    return replace(job);
  });
}

function isSound(file: string): boolean {
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    const [found] = Object.values(sqlite.prepare('PRAGMA quick_check(1)').get() ?? {});
    return found === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  } finally {
    sqlite?.close();
  }
}

const BUSY_MS = 5_000;
const PAUSE_MS = 100;

/** Waits as long as another host repairs; in short pauses, so that the thread can be ended meanwhile. */
function underLock<T>(file: string, work: () => T): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const lock = new DatabaseSync(toLockFile(file), { timeout: 0 });
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      if (!isBusy(error)) throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
      continue;
    }
    try {
      return work();
    } finally {
      lock.close();
    }
  }
}

function replace({ file, migrations, now }: RepairJob): Repair {
  const fresh = `${file}.salvaging`;
  for (const suffix of ['', '-journal']) rmSync(fresh + suffix, { force: true });
  const from = new DatabaseSync(file, { timeout: BUSY_MS, defensive: false });
  try {
    // The tables that the damaged list of tables still names can be read.
    from.exec('PRAGMA writable_schema = ON');
    holdWriters(from);
    const kept = fill(from, fresh, migrations);
    // Windows renames no open file.
    if (process.platform === 'win32') from.close();
    const aside = setAside(file, now);
    renameSync(fresh, file);
    return { kind: 'salvaged', aside, kept };
  } finally {
    // SQLite sees that its file was moved, and leaves what lies at the old path.
    if (from.isOpen) from.close();
  }
}

/** Keeps other hosts from writing into the damaged file, as far as it can still be locked. */
function holdWriters(from: DatabaseSync): void {
  try {
    from.exec('BEGIN IMMEDIATE');
  } catch (error) {
    if (!isDamage(error) && !isBusy(error)) throw error;
  }
}

function fill(from: DatabaseSync, fresh: string, migrations: readonly string[]): Salvaged {
  const to = new DatabaseSync(fresh);
  let kept: Salvaged;
  try {
    if (process.platform !== 'win32') chmodSync(fresh, 0o600);
    // Nobody else sees the file before it is complete.
    to.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY');
    migrate(to, fresh, migrations);
    kept = salvage(from, to);
    adoptOrphans(to);
  } finally {
    to.close();
  }
  const handle = openSync(fresh, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return kept;
}
