import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * What a run wrote besides the workspace. Its command made what is looked at: links are not followed, folders
 * that can't be read are left out, and the look ends after so many entries.
 */
export function readSideWrites(
  { folder, home }: { readonly folder: string; readonly home: string },
  masks: readonly string[],
): { readonly homeWrites: readonly string[]; readonly maskedWrites: readonly string[] } {
  const isWritten = (index: number) => {
    const mask = path.join(folder, 'mask', String(index));
    const found = lstatSync(mask, { throwIfNoEntry: false });
    if (found === undefined) return false;
    return found.isDirectory() ? list(mask)?.length !== 0 : found.size > 0;
  };
  return {
    homeWrites: findFiles(path.join(folder, 'home'), home),
    maskedWrites: masks.filter((_, index) => isWritten(index)),
  };
}

/** At most so many names of files in HOME. */
const MOST_NAMES = 100;
const MOST_LOOKS = 10_000;

/** Everything in HOME but folders and what bwrap made to mount files on, relative to it with `/`. */
function findFiles(root: string, home: string): readonly string[] {
  const found: string[] = [];
  const folders = [''];
  let looked = 0;
  const isMountPoint = (name: string) =>
    isEmpty(path.join(root, name)) && existsSync(path.join(home, name));
  for (const folder of folders) {
    for (const entry of list(path.join(root, folder)) ?? []) {
      looked += 1;
      if (found.length === MOST_NAMES || looked > MOST_LOOKS) return found;
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(name);
      else if (!isMountPoint(name)) found.push(name);
    }
  }
  return found;
}

/** False also where nobody can look: a folder that is only readable, a name that is not UTF-8, too long a path. */
function isEmpty(file: string): boolean {
  try {
    return lstatSync(file).size === 0;
  } catch {
    return false;
  }
}

/** Undefined: it can't be listed, such as a folder without permissions, or one with too long a path. */
function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
