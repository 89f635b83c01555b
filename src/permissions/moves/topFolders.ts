import { lstatSync } from 'node:fs';
import path from 'node:path';
import { isBelow, realFolder } from '../patterns/paths.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { type Act, ELSEWHERE } from '../shell/acts.ts';

/**
 * Lets what is relative to the root of a repository start there. Without one, git reads nothing, and
 * the folder stays. Leaves out what git only reads without one, or from a commit that no word names.
 */
export function resolveTops(acts: readonly Act[]): readonly Act[] {
  const known = new Map<string, string>();
  const toRoot = (folder: string) => {
    const root = known.get(folder) ?? findRoot(folder);
    known.set(folder, root);
    return root;
  };
  const writes = acts.some(
    (act) => act.kind === 'file' && act.access === 'fs.write' && act.target !== '/dev/null',
  );
  return acts.flatMap((act): readonly Act[] => {
    if (act.kind !== 'file') return [act];
    const { unlessIn, unlessThere } = act;
    // A word that is a path now may be a revision when the file is gone.
    const settled = act.unsettled !== true && !writes;
    if (unlessThere !== undefined && settled && areAllThere(unlessThere, act.folders)) return [];
    if (unlessIn !== undefined && act.folders.every((each) => lieInOne(unlessIn, each))) return [];
    // A path that starts with a dot is relative to the folder.
    if (act.top !== true || /^\.\.?\//.test(act.target)) return [act];
    const folders = [...new Set(act.folders.map(toRoot))];
    if (folders.join('\0') === act.folders.join('\0')) return [act];
    // What the command leaves out, it leaves out below its own folder.
    const { without: _, ...moved } = act;
    return [{ ...moved, folders, from: act.folders }];
  });
}

/** Whether the paths, relative to the folder, lie in the repository that git finds from there. */
function lieInOne(paths: readonly string[], folder: string): boolean {
  if (folder === ELSEWHERE) return false;
  try {
    const root = findGitFolder(folder)?.root;
    const here = realFolder(folder);
    return root !== undefined && paths.every((each) => isBelow(path.resolve(here, each), root));
  } catch {
    // It can't be told which repository git finds.
    return false;
  }
}

/** Whether all words are paths in the work tree, from whichever folder the command runs in. */
function areAllThere(words: readonly string[], folders: readonly string[]): boolean {
  return folders.every((folder) => {
    if (folder === ELSEWHERE) return false;
    try {
      const git = findGitFolder(folder);
      // In the repository itself, and with a work tree elsewhere, git doesn't look for files.
      if (git === undefined || git.own === git.root || findHazard(git) !== undefined) return false;
      const here = realFolder(folder);
      if (isBelow(here, git.own) || isBelow(here, git.common)) return false;
      return words.every(
        (word) => lstatSync(path.resolve(here, word), { throwIfNoEntry: false }) !== undefined,
      );
    } catch {
      // It can't be told which repository git finds, or a part of the path isn't a folder.
      return false;
    }
  });
}

function findRoot(folder: string): string {
  if (folder === ELSEWHERE) return folder;
  try {
    return findGitFolder(folder)?.root ?? folder;
  } catch {
    // It can't be told which repository git finds.
    return ELSEWHERE;
  }
}
