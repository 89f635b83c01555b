import path from 'node:path';
import { isBelow, realFolder } from '../patterns/paths.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { type Act, ELSEWHERE } from '../shell/acts.ts';

/**
 * Lets what is relative to the root of a repository start there. Without one, git reads nothing, and
 * the folder stays. Leaves out what git only reads without one.
 */
export function resolveTops(acts: readonly Act[]): readonly Act[] {
  const known = new Map<string, string>();
  const toRoot = (folder: string) => {
    const root = known.get(folder) ?? findRoot(folder);
    known.set(folder, root);
    return root;
  };
  return acts.flatMap((act): readonly Act[] => {
    if (act.kind !== 'file') return [act];
    const { unlessIn } = act;
    if (unlessIn !== undefined && act.folders.every((each) => lieInOne(unlessIn, each))) return [];
    // A path that starts with a dot is relative to the folder.
    if (act.top !== true || /^\.\.?\//.test(act.target)) return [act];
    return [{ ...act, folders: [...new Set(act.folders.map(toRoot))] }];
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

function findRoot(folder: string): string {
  if (folder === ELSEWHERE) return folder;
  try {
    return findGitFolder(folder)?.root ?? folder;
  } catch {
    // It can't be told which repository git finds.
    return ELSEWHERE;
  }
}
