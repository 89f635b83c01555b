import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { GitFolder } from './gitFolder.ts';
import { readIndex } from './trackedFiles.ts';

/**
 * The tracked files that a link stands above, where a folder was: other commands take these for removed, `git grep`
 * reads them through the link. Absolute.
 */
export function listBehindLinks(git: GitFolder): readonly string[] {
  const known = new Map<string, boolean>([['.', false]]);
  const isBehind = (folder: string): boolean => {
    const last = known.get(folder);
    if (last !== undefined) return last;
    const found = isBehind(path.posix.dirname(folder)) || isLink(path.join(git.root, folder));
    known.set(folder, found);
    return found;
  };
  return (readIndex(git) ?? []).flatMap(({ name }) =>
    isBehind(path.posix.dirname(name)) ? [path.join(git.root, name)] : [],
  );
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // No permission: git can't enter it either.
    return false;
  }
}

/** Whether the command reads tracked files in the work tree as they are there. `words` follow `git`. */
export function readsBehindLinks(words: readonly string[]): boolean {
  return words.find((word) => !word.startsWith('-')) === 'grep';
}
