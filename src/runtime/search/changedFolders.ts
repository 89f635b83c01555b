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

/** Milliseconds by which a file system's clock may be behind the host's. */
const CLOCK_MS = 20;

/** When a search begins, in milliseconds since the epoch, as file systems tell it. */
export function searchStart(): number {
  return Date.now() - CLOCK_MS;
}

/**
 * Tells of a file, by its name below the folder that was searched, whether another may have stood
 * there meanwhile: ripgrep looks at a folder before it opens it, and a link may have taken its place
 * in between. Whoever swaps them changes the folder around them, and the system keeps when.
 * `root`: the searched folder as it was opened.
 */
export function changedSince(root: string, start: number): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const changed = (folder: string): boolean => {
    let answer = known.get(folder);
    if (answer === undefined) {
      const around = folder === '.' ? false : changed(toFolder(folder));
      // What is no UTF-8 cannot be asked about; a swap of it changes the folder around it.
      answer = around || (!folder.includes(ODD) && hasChanged(`${root}/${folder}`, start));
      known.set(folder, answer);
    }
    return answer;
  };
  return (name) => changed(toFolder(name));
}

/** As `path.posix.dirname` says of a name without empty parts, in a fraction of its time. */
function toFolder(name: string): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? '.' : name.slice(0, slash);
}

function hasChanged(folder: string, start: number): boolean {
  const stats = tryStat(folder);
  if (stats === undefined || !stats.isDirectory()) return true;
  // Some file systems only keep whole seconds.
  const since = stats.ctimeMs % 1000 === 0 ? start - 2000 : start;
  return stats.ctimeMs >= since;
}

/** Those of the names that are files now, in folders that are held while they are looked at. */
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

/** The bytes of a file in a folder that is held, and that no link leads to; undefined: there is none. */
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
    // It is gone, or a link by now: then it was not found.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
    folder.data.close();
  }
}

/** Stands in a name for bytes that are no UTF-8. */
const ODD = '\ufffd';

/** The path of an entry by its name as it is shown, which for a name that is no UTF-8 is not its own. */
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
    // What cannot be looked at counts as changed.
    return undefined;
  }
}
