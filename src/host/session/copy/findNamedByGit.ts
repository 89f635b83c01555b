import path from 'node:path';
import { isInFolder } from '../../../base/disk/insideFolder.ts';
import { realFolder } from '../../../permissions/patterns/paths.ts';
import { findParts } from '../../../runtime/sandbox/linux/worktrees.ts';

/** Whether git takes hooks or settings from a file or folder, of a workspace folder, both absolute. */
export type IsNamedByGit = (file: string, folder: string) => boolean;

/**
 * Looks at the repositories in whose folders a file lies, also above the workspace, each once: what their `.git` and their configuration name
 * elsewhere, such as a folder of hooks (`core.hooksPath`). A link in place of a folder above it counts too. Where it
 * can't be told, everything counts.
 */
export function createIsNamedByGit(): IsNamedByGit {
  const known = new Map<string, readonly string[] | 'all'>();
  const find = (root: string, folder: string) => {
    const key = `${folder}\0${root}`;
    const found = known.get(key) ?? findNamed(root, folder);
    known.set(key, found);
    return found;
  };
  return (file, folder) => {
    for (let root = path.dirname(file); ; root = path.dirname(root)) {
      const named = find(root, folder);
      if (named === 'all') return true;
      if (named.some((each) => isInFolder(file, each) || isInFolder(each, file))) return true;
      if (path.dirname(root) === root) return false;
    }
  };
}

/**
 * The same by the real path alone, for what tools and commands write. A workspace folder itself holds what is named, and is no
 * such thing. What was looked at once is not looked at again, so it lasts for one call.
 */
export function createGitGuard(workspace: readonly string[]): (file: string) => boolean {
  const { platform } = process;
  const isNamed = createIsNamedByGit();
  let roots: readonly string[] | undefined;
  return (file) => {
    // Neither the paths of git for Windows nor links there are followed.
    if (platform === 'win32') return false;
    roots ??= workspace.map((folder) => realFolder(folder, platform));
    return roots.some((root) => file !== root && isInFolder(file, root) && isNamed(file, root));
  };
}

function findNamed(root: string, folder: string): readonly string[] | 'all' {
  const noted = {
    linked: new Set<string>(),
    closed: new Set<string>(),
    missing: new Set<string>(),
  };
  try {
    const parts = findParts(path.join(root, '.git'), [folder], noted);
    return typeof parts === 'string' ? 'all' : [...parts, ...noted.missing];
  } catch {
    return 'all';
  }
}
