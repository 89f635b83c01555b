import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where git keeps a repository. */
export interface GitFolder {
  /** The folder with its files. */
  readonly root: string;
  /** The folder with `HEAD` and the index. */
  readonly own: string;
  /** The folder with the configuration; another one for a linked worktree. */
  readonly common: string;
}

/** The repository that git finds from a folder, as it does: upwards. Undefined: there is none. */
export function findGitFolder(folder: string): GitFolder | undefined {
  for (let root = folder; ; root = path.dirname(root)) {
    const own = toGitFolder(path.join(root, '.git'));
    if (own !== undefined) {
      const common = readText(path.join(own, 'commondir'))?.trim();
      return { root, own, common: common === undefined ? own : path.resolve(own, common) };
    }
    if (path.dirname(root) === root) return undefined;
  }
}

/** `.git` is the folder, or a file that names it. */
function toGitFolder(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return file;
  const target = stat === undefined ? undefined : /^gitdir: (.*)/.exec(readText(file) ?? '')?.[1];
  return target === undefined ? undefined : path.resolve(path.dirname(file), target.trim());
}

/** More than any configuration that a person writes, in bytes. */
const TEXT_LIMIT = 1024 * 1024;

/** Undefined: there is no such file. Throws if it can't be read, is too large or is no regular file. */
export function readText(file: string): string | undefined {
  return readRegular(file, TEXT_LIMIT)?.toString('utf8');
}

/**
 * The bytes of a file of git. Undefined: there is none. A pipe or a device is never opened for
 * reading, since that could wait for ever; it throws like a file with more than `most` bytes.
 */
export function readRegular(file: string, most: number): Buffer | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > most) throw new Error(`${file} can't be read.`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
