import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRegularText } from '../../../base/disk/readRegular.ts';
import { createStatCache } from '../../../base/disk/statCache.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { MB } from '../../../base/units.ts';
import { isWithin } from './toolFolders.ts';

/** What keeps the repositories of a workspace as they are while a program can write the workspace. */
export interface RepositoryPins {
  /** Each `.git`, and each folder of the workspace that a `.git` file names: read-only. Absolute. */
  readonly readOnly: readonly string[];
  /** The folders above these, below the workspace folder, outermost first: a mount can't be moved away. */
  readonly folders: readonly string[];
}

/** Each takes some of the 9,000 arguments of bwrap. */
const MOST_PINS = 1000;

/**
 * Finds the repositories of the workspace folders: their own, submodules, worktrees and others, however deep they
 * lie. Fails with a sentence when one can't be kept: a `.git` that is a link, or too many.
 */
export async function findRepositoryPins(
  workspace: readonly string[],
): Promise<Outcome<RepositoryPins>> {
  const readOnly = new Set<string>();
  const folders = new Set<string>();
  const addAbove = (file: string, root: string) => {
    for (let at = path.dirname(file); isWithin(at, root) && at !== root; at = path.dirname(at)) {
      folders.add(at);
    }
  };
  for (const root of workspace) {
    for (const { git, kind } of await findGit(root)) {
      if (kind === 'link') {
        return failure(
          `The sandbox can't confine commands to the workspace folder ${root}, because ${git} is a link.`,
        );
      }
      const named = kind === 'file' ? readGitFolder(git, root) : undefined;
      for (const each of named === undefined ? [git] : [git, named]) {
        readOnly.add(each);
        addAbove(each, root);
      }
    }
  }
  if (readOnly.size + folders.size > MOST_PINS) {
    return failure('The workspace has too many repositories for commands to be confined to it.');
  }
  const byDepth = (files: Set<string>) => [...files].sort((a, b) => a.length - b.length);
  return success({ readOnly: byDepth(readOnly), folders: byDepth(folders) });
}

interface Git {
  readonly git: string;
  readonly kind: 'folder' | 'file' | 'link';
}

/** Folders that didn't change since the last command are not listed again. */
async function findGit(root: string): Promise<readonly Git[]> {
  const found: Git[] = [];
  const folders = [root];
  let since = performance.now();
  for (let at = 0; at < folders.length; at += 1) {
    if (at % CHECKED === 0 && performance.now() - since > BURST_MS) {
      await nextTurn();
      since = performance.now();
    }
    const listing = list(folders[at] ?? root);
    if (listing?.git) found.push(listing.git);
    for (const folder of listing?.folders ?? []) folders.push(folder);
  }
  return found;
}

/** How long it looks before other work of the host gets its turn, and how many folders between two checks. */
const BURST_MS = 10;
const CHECKED = 50;

interface Listing {
  readonly folders: readonly string[];
  readonly git?: Git;
}

const listings = createStatCache(
  (folder): Listing => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const git = entries.find(({ name }) => name === '.git');
    const folders = entries
      .filter((entry) => entry !== git && entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
    if (git === undefined) return { folders };
    const kind = git.isSymbolicLink() ? 'link' : git.isDirectory() ? 'folder' : 'file';
    return { folders, git: { git: `${folder}/.git`, kind } };
  },
  { kept: 100_000, keptBytes: 16 * MB },
);

/** Undefined: it is gone, or can't be read, so what runs as the same user can't read it either. */
function list(folder: string): Listing | undefined {
  try {
    return listings.get(folder);
  } catch {
    return undefined;
  }
}

/** The folder of the workspace that a `.git` file names, such as that of `git init --separate-git-dir`. */
function readGitFolder(file: string, root: string): string | undefined {
  const read = readRegularText(file);
  const named = read.state === 'read' ? /^gitdir: (.*)\n?$/.exec(read.text)?.[1] : undefined;
  if (named === undefined) return undefined;
  try {
    const folder = realpathSync(path.resolve(path.dirname(file), named));
    return folder !== root && isWithin(folder, root) && statSync(folder).isDirectory()
      ? folder
      : undefined;
  } catch {
    // It names nothing.
    return undefined;
  }
}
