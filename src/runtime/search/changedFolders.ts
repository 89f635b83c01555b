import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import path from 'node:path';
import { type OpenFolder, openFolder } from '../files/open.ts';

/** Milliseconds by which the file system's clock may lag behind the host's. */
const CLOCK_MS = 20;

/** Start time of a search by the file system's clock, in milliseconds since the epoch. */
export function searchStart(): number {
  return Date.now() - CLOCK_MS;
}

/**
 * Returns a function that tells, for a file's path below `root`, whether one of its folders changed
 * since `start`. ripgrep checks a folder before it opens it, so a link may have been swapped in
 * between. Swapping changes the parent folder's ctime. `root` is the searched folder as it was
 * opened.
 */
export function changedSince(root: string, start: number): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const changed = (folder: string): boolean => {
    let answer = known.get(folder);
    if (answer === undefined) {
      const around = folder === '.' ? false : changed(toFolder(folder));
      // A name that is not UTF-8 can't be checked, but swapping it changes its parent folder.
      answer = around || (!folder.includes(ODD) && hasChanged(`${root}/${folder}`, start));
      known.set(folder, answer);
    }
    return answer;
  };
  return (name) => changed(toFolder(name));
}

/** Like `path.posix.dirname` for normalized names, but much faster. */
function toFolder(name: string): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? '.' : name.slice(0, slash);
}

function hasChanged(folder: string, start: number): boolean {
  const stats = tryStat(folder);
  if (stats === undefined || !stats.isDirectory()) return true;
  // Some file systems store whole seconds only.
  const since = stats.ctimeMs % 1000 === 0 ? start - 2000 : start;
  return stats.ctimeMs >= since;
}

/** The names that are regular files now. Each folder is held open during the check. */
export function findFiles(directory: string, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const folders = Map.groupBy(names, (name) => path.posix.dirname(name));
  for (const [folder, inside] of folders) {
    const opened = openFolder(path.posix.join(directory, folder), false);
    if (!opened.ok) continue;
    for (const name of inside) {
      const file = findEntry(opened.data, path.posix.basename(name));
      if (file !== undefined && tryStat(file)?.isFile()) found.add(name);
    }
    opened.data.close();
  }
  return found;
}

/**
 * Reads a regular file through its opened folder without following links; undefined if there is
 * none.
 */
export function readInside(directory: string, name: string): Buffer | undefined {
  const folder = openFolder(path.posix.join(directory, path.posix.dirname(name)), false);
  if (!folder.ok) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0);
  let fd: number | undefined;
  try {
    const file = findEntry(folder.data, path.posix.basename(name));
    if (file === undefined) return undefined;
    fd = openSync(file, flags);
    return fstatSync(fd).isFile() ? readFileSync(fd) : undefined;
  } catch {
    // Deleted or replaced by a link, so it doesn't count as found.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
    folder.data.close();
  }
}

/** The replacement character stands for bytes that are not UTF-8. */
const ODD = '\ufffd';

/**
 * The path of an entry by its decoded name, which differs from the real name when that is not
 * UTF-8.
 */
function findEntry(folder: OpenFolder, name: string): string | Buffer | undefined {
  if (!name.includes(ODD)) return folder.at(name);
  const entries = readdirSync(folder.at('.'), { encoding: 'buffer' });
  const entry = entries.find((each) => each.toString('utf8') === name);
  return entry && Buffer.concat([Buffer.from(folder.at('')), entry]);
}

function tryStat(file: string | Buffer) {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // Treat an entry that can't be read as changed.
    return undefined;
  }
}
