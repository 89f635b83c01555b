import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../../base/disk/readRegular.ts';
import { leadOutside } from './outsidePath.ts';
import { isWithin } from './toolFolders.ts';

/**
 * The repositories of workspace folders that are git worktrees: their `.git` is a file that names a folder
 * elsewhere. Only a folder that names the worktree in return counts, because the workspace's own files
 * could name any.
 */
export function findRepositories(workspace: readonly string[], home: string): readonly string[] {
  const homes = [home, leadOutside(home, []) ?? home];
  // A workspace folder of the name "worktrees" holds a folder that may name it, and lies in the user's folders.
  const isApart = (repository: string) =>
    !homes.some((each) => isWithin(each, repository)) &&
    !workspace.some((root) => isWithin(root, repository) || isWithin(repository, root));
  return workspace.flatMap((root) => findRepository(root) ?? []).filter(isApart);
}

function findRepository(root: string): string | undefined {
  const own = path.join(root, '.git');
  try {
    const named = /^gitdir: (.*)\n?$/.exec(readText(own))?.[1];
    if (named === undefined) return undefined;
    const folder = realpathSync(path.resolve(root, named));
    const back = path.resolve(folder, readText(path.join(folder, 'gitdir')).trim());
    const worktrees = path.dirname(folder);
    if (realpathSync(back) !== realpathSync(own) || path.basename(worktrees) !== 'worktrees')
      return undefined;
    return path.dirname(worktrees);
  } catch {
    // No worktree: `.git` is a folder, or there is none.
    return undefined;
  }
}

/** Whoever writes in the workspace could put a FIFO there. Empty: no file. */
function readText(file: string): string {
  const read = readRegularText(file);
  return read.state === 'read' ? read.text : '';
}
