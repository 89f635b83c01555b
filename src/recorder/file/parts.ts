import { existsSync, renameSync, statSync } from 'node:fs';

/** SQLite keeps these beside a database. */
const BESIDE = ['-wal', '-shm', '-journal'] as const;

/** Held while the file is created or replaced, by all hosts. */
export function toLockFile(file: string): string {
  return `${file}.lock`;
}

/** Which file a path names at the moment; undefined when there is none. */
export function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Renames a database with all that belongs to it. Never deletes it: its data may still be recoverable
 * (`sqlite3 FILE .recover`). Returns its new path.
 */
export function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, '-');
  const target = findFree(`${file}.damaged-${stamp}`);
  // The database goes last: a log that stayed would be read into the file that takes its place.
  for (const suffix of [...BESIDE, '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return target;
}

function findFree(target: string): string {
  for (let count = 2; ; count++) {
    const name = count === 2 ? target : `${target}-${count}`;
    if (!['', ...BESIDE].some((suffix) => existsSync(name + suffix))) return name;
  }
}
