import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../../../base/disk/insideFolder.ts';

/**
 * Where a path leads with its links followed, whether something is there or not. Undefined: in circles, or it passes a
 * folder of the workspace, whose links anyone may have made who wrote the repository, or a command that could write there.
 */
export function leadOutside(file: string, workspace: readonly string[]): string | undefined {
  let at = '/';
  let links = 0;
  const names = toNames(file);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = path.join(at, name);
    if (workspace.some((root) => isInFolder(next, root))) return undefined;
    const target = name === '..' ? undefined : readLink(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return undefined;
    if (path.isAbsolute(target)) at = '/';
    names.unshift(...toNames(target));
  }
  return at;
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Other paths of the files. If one of the folders is a link, or lies below one, each file below its real path can also be
 * reached through the folder as it is written.
 */
export function nameAlso(
  files: readonly string[],
  folders: readonly string[],
  workspace: readonly string[],
): readonly string[] {
  return folders.flatMap((folder) => {
    const real = leadOutside(folder, workspace);
    if (real === undefined || real === folder) return [];
    return files
      .filter((file) => isInFolder(file, real))
      .map((file) => path.join(folder, path.relative(real, file)));
  });
}

function toNames(file: string): string[] {
  return file.split('/').filter((name) => name !== '' && name !== '.');
}

function readLink(file: string): string | undefined {
  try {
    // What is no link is asked about most, and would throw.
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(file) : undefined;
  } catch {
    // It can't be looked at, or was replaced meanwhile.
    return undefined;
  }
}
