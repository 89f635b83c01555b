import { findGitFolder } from './gitFolder.ts';
import { listTrackedFiles } from './trackedFiles.ts';

/**
 * Returns a test whether git tracks something at or below a hidden name directly in a folder, or may
 * print its path: `git diff --name-only` prints paths from the root in a folder below it, too.
 */
export function createTracked(): (folder: string, name: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  return (folder, name) => {
    try {
      const git = findGitFolder(folder);
      // Without a repository git lists nothing.
      if (git === undefined) return false;
      if (!known.has(git.root)) known.set(git.root, toHidden(listTrackedFiles(git)));
      const hidden = known.get(git.root);
      if (hidden === undefined) return true;
      const parts = `${folder}/${name}`.slice(git.root.length + 1).split('/');
      return parts.some((_, from) => hidden.has(parts.slice(from).join('/')));
    } catch {
      // It can't be told which repository git finds.
      return true;
    }
  };
}

/** The paths up to each hidden name. Undefined: they can't be told. */
function toHidden(files: readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (files === undefined) return undefined;
  const found = new Set<string>();
  for (const file of files) {
    for (const { index, 0: match } of file.matchAll(/(?:^|\/)\.[^/]*/g))
      found.add(file.slice(0, index + match.length));
  }
  return found;
}
