import type { Evaluation } from '../decide/evaluation.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { listTrackedFiles, readIndex } from '../repository/trackedFiles.ts';
import { ELSEWHERE, type FileAct } from '../shell/acts.ts';

/**
 * The files below a folder that `git rm` may remove: those in git's index. Undefined: that can't be told,
 * so any file there may go. Real and absolute.
 */
export function listTrackedBelow(
  { folders: [start = ELSEWHERE, ...others], command }: FileAct,
  folder: string,
  { policy }: Evaluation,
): readonly string[] | undefined {
  // Options before the subcommand may name another repository.
  const plain = command?.[0]?.value === 'git' && command[1]?.value === 'rm';
  if (!plain || start === ELSEWHERE || others.length > 0) return undefined;
  try {
    const git = findGitFolder(start);
    // The configuration may name another work tree.
    const files = git && findHazard(git) === undefined ? readIndex(git) : undefined;
    if (git === undefined || files === undefined) return undefined;
    const paths = files.map(({ name, submodule }) => {
      // A submodule is removed with its repository. Of a sparse folder the files aren't listed.
      const whole = submodule || name.endsWith('/');
      return `${git.root}/${whole ? `${name.replace(/\/$/, '')}/.git` : name}`;
    });
    return paths.filter((path) => isBelowFolded(path, folder, policy.platform));
  } catch {
    return undefined;
  }
}

/**
 * What `git clean` keeps: the repository's own folder, and tracked files. A folder with tracked files may
 * hold others.
 */
export function createKept(folder: string): (path: string) => boolean {
  try {
    const git = findGitFolder(folder);
    const tracked = git && listTrackedFiles(git);
    if (git === undefined || tracked === undefined) return () => false;
    const files = new Set(tracked.map((name) => `${git.root}/${name}`));
    return (path) => path === `${git.root}/.git` || files.has(path);
  } catch {
    // It can't be told which repository git finds, so everything may be removed.
    return () => false;
  }
}
