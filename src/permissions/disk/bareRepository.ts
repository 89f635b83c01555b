import { lstatSync } from 'node:fs';

/** What git reads in a folder that it takes for a repository, or needs there to take it for one. Folded. */
const READ_BY_GIT: ReadonlySet<string> = new Set([
  ...['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info', 'modules', 'worktrees'],
  ...['objects', 'refs', 'packed-refs', 'reftable'],
]);

/**
 * The part of the path that git reads, if a folder above it may be a repository without a `.git`, or the path itself is
 * one. Git runs programs that the configuration of such a folder names. It needs `HEAD`, `objects` and `refs`; here any
 * folder with a `HEAD` counts, because the rest may be written later. Writing `HEAD` itself asks (protected.ts).
 * `path` is real and absolute, with `/`; `fold` makes names equal that a file system takes for the same. `isThere` tells
 * whether there is such a `HEAD`.
 */
export function findInBare(
  path: string,
  fold: (name: string) => string,
  isThere: (head: string) => boolean = exists,
): string | undefined {
  const names = path.split('/');
  const at = names.findIndex(
    (name, index) =>
      index > 0 &&
      READ_BY_GIT.has(fold(name)) &&
      isThere(`${names.slice(0, index).join('/')}/HEAD`),
  );
  if (at > 0) return names.slice(at - 1).join('/');
  return isThere(`${path}/HEAD`) ? names.at(-1) : undefined;
}

function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // There is nothing below a file, and in a folder that can't be looked into nothing can be written either.
    return false;
  }
}
