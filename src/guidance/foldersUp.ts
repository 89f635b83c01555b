import { realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';

/** The folders from a session's root upward whose files count, and where the way up ended. */
export interface FoldersUp {
  /** Real paths, the outermost first. Empty when the root does not exist. */
  readonly folders: readonly string[];
  /** The next folder, if it was left out because others may write to it. */
  readonly foreign?: string;
}

/**
 * Walks up from the session's root (spec CS-38, spec CS-44): to the top of its repository, or as far as the folders
 * belong to this user alone. Anyone could write instructions into the folders above, such as `/tmp`. The home folder
 * and what lies above are not part of a project.
 */
export function foldersUp(root: string, home: string): FoldersUp {
  const first = toReal(root);
  if (first === undefined) return { folders: [] };
  const realHome = toReal(home) ?? home;
  const folders = [first];
  let folder = first;
  // A path of so many folders is no project.
  while (folders.length < 64) {
    const parent = path.dirname(folder);
    if (folder === realHome || isTop(folder) || parent === folder || parent === realHome) break;
    if (!isOwn(parent)) return { folders: folders.toReversed(), foreign: parent };
    folders.push(parent);
    folder = parent;
  }
  return { folders: folders.toReversed() };
}

/** The top of a repository, a worktree or a submodule. */
function isTop(folder: string): boolean {
  return toStats(path.join(folder, '.git')) !== undefined;
}

/** Windows has no such owners, so nothing above the root is read there. */
function isOwn(folder: string): boolean {
  const user = process.getuid?.();
  const stats = toStats(folder);
  return stats !== undefined && stats.uid === user && (stats.mode & 0o022) === 0;
}

export function toReal(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function toStats(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
