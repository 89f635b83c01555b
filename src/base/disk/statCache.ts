import { type Stats, statSync } from 'node:fs';
import { KB } from '../units.ts';

/** Values read from files or folders. */
export interface StatCache<Value> {
  /** The value of a path as it is now; undefined if nothing has this path. Throws what `statSync` throws. */
  get(path: string): Value | undefined;
}

export interface StatCacheOptions {
  /** Paths that are kept; default 128. */
  readonly kept?: number;
  /** Larger files and folders are read each time. Bytes; default 64 KB. */
  readonly keptBytes?: number;
  readonly now?: () => number;
}

/** Some file systems have timestamps of two seconds: a younger file may change without a new one. */
const YOUNG_MS = 2_000;

/**
 * Keeps what was read from a path until its metadata changes. A value may depend on nothing but the bytes of
 * the file, or the names in the folder, and what they are the names of. What `read` throws is not kept.
 */
export function createStatCache<Value>(
  read: (path: string, stats: Stats) => Value,
  { kept = 128, keptBytes = 64 * KB, now = () => Date.now() }: StatCacheOptions = {},
): StatCache<Value> {
  const known = new Map<string, { readonly stats: Stats; readonly value: Value }>();
  return {
    get(path) {
      const before = now();
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined) return undefined;
      const last = known.get(path);
      if (last !== undefined && isSame(last.stats, stats)) return last.value;
      // Afterwards, so that a change meanwhile shows in the metadata of the next time.
      const value = read(path, stats);
      if (known.size >= kept) known.clear();
      if (isOld(stats, before) && stats.size <= keptBytes) known.set(path, { stats, value });
      else known.delete(path);
      return value;
    },
  };
}

/** Every change sets the time of change, and no program can choose it. */
function isSame(a: Stats, b: Stats): boolean {
  return (
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}

/** Whether what is read from `now` on stays true until the metadata changes. */
export function isOld(
  { ctimeMs, mtimeMs }: Pick<Stats, 'ctimeMs' | 'mtimeMs'>,
  now: number,
): boolean {
  // FAT has no time of change, and none of folders.
  return process.platform !== 'win32' && Math.max(ctimeMs, mtimeMs) <= now - YOUNG_MS;
}
