import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * The repositories of workspace folders that are git worktrees: their `.git` is a file that names a folder
 * elsewhere. Only a folder that names the worktree in return counts, because the workspace's own files
 * could name any.
 */
export function findRepositories(workspace: readonly string[]): readonly string[] {
  return workspace.flatMap((root) => findRepository(root) ?? []);
}

function findRepository(root: string): string | undefined {
  const own = path.join(root, '.git');
  try {
    const named = /^gitdir: (.*)\n?$/.exec(readFileSync(own, 'utf8'))?.[1];
    if (named === undefined) return undefined;
    const folder = realpathSync(path.resolve(root, named));
    const back = path.resolve(folder, readFileSync(path.join(folder, 'gitdir'), 'utf8').trim());
    const worktrees = path.dirname(folder);
    const isOurs = realpathSync(back) === realpathSync(own);
    return isOurs && path.basename(worktrees) === 'worktrees' ? path.dirname(worktrees) : undefined;
  } catch {
    // No worktree: `.git` is a folder, or there is none.
    return undefined;
  }
}
