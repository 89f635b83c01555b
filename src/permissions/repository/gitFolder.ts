import { readFileSync, statSync } from 'node:fs';
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

/** Undefined: there is no such file. Throws if it can't be read. */
export function readText(file: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return readFileSync(file, 'utf8');
}
