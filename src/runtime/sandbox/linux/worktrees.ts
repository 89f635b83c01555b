import { isUtf8 } from 'node:buffer';
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { readRegular } from '../../../base/disk/readRegular.ts';
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
    const named = readNamed(own, GIT_FILE);
    if (named === undefined) return undefined;
    const folder = realpathSync(path.resolve(root, named));
    const back = path.resolve(folder, readNamed(path.join(folder, 'gitdir')) ?? '');
    const worktrees = path.dirname(folder);
    if (realpathSync(back) !== realpathSync(own) || path.basename(worktrees) !== 'worktrees')
      return undefined;
    return path.dirname(worktrees);
  } catch {
    // No worktree: `.git` is a folder, or there is none.
    return undefined;
  }
}

/**
 * What belongs to a repository of a workspace folder besides its `.git`, and lies in one too: the folder that a `.git`
 * file names, such as that of `git init --separate-git-dir`; the one that a worktree's shares with others, which may be
 * a bare one; and what links in these lead to, such as hooks. Or why this can't be kept as it is.
 */
export function findParts(git: string, workspace: readonly string[]): readonly string[] | string {
  const found = new Set<string>();
  const add = (from: string, named: string | undefined) => {
    const written = named === undefined ? undefined : path.resolve(from, named);
    const file = written && toReal(written);
    if (written === undefined || file === undefined || !isBelow(file, workspace)) return undefined;
    // A program could put another in the place of a link on the way.
    if (file !== written && isBelow(written, workspace)) throw new Unkept('names a link');
    if (!isWithin(file, git)) found.add(file);
    return file;
  };
  try {
    const own = isFolder(git) ? git : add(path.dirname(git), readNamed(git, GIT_FILE));
    if (own === undefined) return [...found];
    const shared = add(own, readNamed(path.join(own, 'commondir')));
    const folders = [...new Set([own, shared ?? own])].flatMap((at) => [
      at,
      path.join(at, 'hooks'),
    ]);
    for (const folder of folders) {
      for (const name of listLinks(folder)) add(folder, readlinkSync(path.join(folder, name)));
    }
    return [...found];
  } catch (fault) {
    if (fault instanceof Unkept) return fault.message;
    throw fault;
  }
}

class Unkept extends Error {}

function isBelow(file: string, workspace: readonly string[]): boolean {
  return workspace.some((root) => file !== root && isWithin(file, root));
}

/** What the file of a worktree begins with. */
const GIT_FILE = 'gitdir: ';

/**
 * What a file of git names after this, as git reads it: up to a NUL, without the ends of lines at its end. Undefined: it is
 * no file, as whoever writes in the workspace could put a FIFO there, or has another start.
 */
function readNamed(file: string, start = ''): string | undefined {
  const read = readRegular(file);
  if (read.state !== 'read' || !read.bytes.subarray(0, start.length).equals(Buffer.from(start))) {
    return undefined;
  }
  const [named = ''] = read.bytes.toString('latin1', start.length).split('\0', 1);
  const bytes = Buffer.from(named.replace(/[\r\n]+$/, ''), 'latin1');
  if (!isUtf8(bytes)) throw new Unkept('names a folder whose name is not UTF-8');
  return bytes.toString();
}

/** The links that lie directly in a folder. */
function listLinks(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((each) => each.isSymbolicLink()).map(({ name }) => name);
  } catch {
    // There is none, or nobody can look.
    return [];
  }
}

/** Undefined: nothing is there. */
function toReal(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
