import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findFileNames } from '../../../base/disk/fileNames.ts';
import { listOddEntries, ODD, type OddEntry } from '../../../base/disk/oddNames.ts';
import { createStatCache } from '../../../base/disk/statCache.ts';
import { getCode } from '../../../base/faults.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { MB } from '../../../base/units.ts';
import { isWithin } from './toolFolders.ts';
import { findParts } from './worktrees.ts';

/** What keeps the repositories of a workspace as they are while a program can write the workspace. */
export interface RepositoryPins {
  /**
   * Each `.git`, what of the workspace it names or its links lead to, other names of its hooks and configurations, and each folder that can't be listed, since a
   * command could open it: read-only. Absolute.
   */
  readonly readOnly: readonly string[];
  /**
   * The folders between the workspace folder and these, outermost first, each a mount that can't be moved away; and the
   * files and folders that lie directly in a closed folder.
   */
  readonly folders: readonly string[];
  /** Workspace folders in which nothing can be made, since a repository names something there that is missing. */
  readonly closed: readonly string[];
  /** Unix sockets on which a service of this machine listens: covered. */
  readonly sockets: readonly string[];
}

/** Each takes some of the 9,000 arguments of bwrap. */
const MOST_PINS = 1000;

/**
 * Finds the repositories of the workspace folders: their own, submodules, worktrees and others, however deep they
 * lie. Fails with a sentence when one can't be kept: a `.git` that is a link, one or a socket below a folder whose name is not
 * UTF-8, or too many.
 */
export async function findRepositoryPins(
  workspace: readonly string[],
): Promise<Outcome<RepositoryPins>> {
  const readOnly = new Set<string>();
  const folders = new Set<string>();
  const sockets: string[] = [];
  const noted = { linked: new Set<string>(), closed: new Set<string>() };
  const { linked, closed } = noted;
  const isBelow = (file: string) =>
    workspace.some((root) => file !== root && isWithin(file, root)) && !workspace.includes(file);
  const addAbove = (file: string) => {
    for (let at = path.dirname(file); isBelow(at); at = path.dirname(at)) {
      folders.add(at);
    }
  };
  const add = (file: string) => {
    readOnly.add(file);
    addAbove(file);
  };
  for (const root of workspace) {
    const found = await findSettledGit(root);
    if (found === undefined) return refuse(root, 'its folders are moved all the time');
    for (const socket of found.sockets) if (await isServed(socket)) sockets.push(socket);
    for (const { git, kind } of found.git) {
      if (kind === 'link' || kind === 'odd') return refuse(root, `${git} ${UNKEPT[kind]}`);
      const parts = kind === 'closed' ? [] : findParts(git, workspace, noted);
      if (!Array.isArray(parts)) return refuse(root, `${git} ${parts}`);
      for (const each of [git, ...parts]) add(each);
    }
  }
  for (const root of linked.size > 0 ? workspace : []) {
    for (const bytes of await findFileNames(root, linked)) {
      if (!isUtf8(bytes))
        return refuse(root, 'a hook or configuration of git has a name there that is not UTF-8');
      add(bytes.toString());
    }
  }
  for (const root of closed) for (const file of listWritable(root)) folders.add(file);
  if (readOnly.size + folders.size + sockets.length > MOST_PINS) {
    return failure(
      'The workspace has too many repositories, sockets or files for commands to be confined to it.',
    );
  }
  const byDepth = (files: Set<string>) => [...files].sort((a, b) => a.length - b.length);
  return success({
    readOnly: byDepth(readOnly),
    folders: byDepth(folders),
    closed: [...closed],
    sockets,
  });
}

/** The files and folders that lie directly in a folder. None where nobody can look: then all of it is read-only. */
function listWritable(root: string): readonly string[] {
  return readEntries(root)
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !isGit(entry))
    .filter(({ name }) => !name.includes(ODD))
    .map(({ name }) => `${root}/${name}`);
}

function readEntries(root: string) {
  try {
    return readdirSync(root, { withFileTypes: true });
  } catch {
    return [];
  }
}

function refuse(root: string, why: string): Outcome<never> {
  return failure(
    `The sandbox can't confine commands to the workspace folder ${root}, because ${why}.`,
  );
}

/** One that nobody listens on is left to the program that may want to make it anew. */
function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(socket);
    client.once('connect', () => {
      client.destroy();
      resolve(true);
    });
    client.once('error', (fault) => resolve(!UNSERVED.has(getCode(fault) ?? '')));
  });
}

const UNSERVED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

const UNKEPT = {
  link: 'is a link',
  odd: 'lies in a folder whose name is not UTF-8',
};

interface FoundGit {
  readonly git: readonly Git[];
  readonly sockets: readonly string[];
}

interface Git {
  readonly git: string;
  /** `closed`: a folder that can't be listed. `odd`: no string names it. */
  readonly kind: 'folder' | 'file' | 'link' | 'closed' | 'odd';
}

async function findSettledGit(root: string): Promise<FoundGit | undefined> {
  for (let left = LOOKS; left > 0; left -= 1) {
    const found = await findGit(root);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How often it looks before it gives up. */
const LOOKS = 5;

/**
 * Folders that didn't change since the last command are not listed again. Undefined: one vanished meanwhile, so that its
 * repositories may be elsewhere now.
 */
async function findGit(root: string): Promise<FoundGit | undefined> {
  const git: Git[] = [];
  const sockets: string[] = [];
  const folders = [root];
  let since = performance.now();
  for (let at = 0; at < folders.length; at += 1) {
    if (at % CHECKED === 0 && performance.now() - since > BURST_MS) {
      await nextTurn();
      since = performance.now();
    }
    const listing = list(folders[at] ?? root);
    if (listing === undefined) return undefined;
    for (const each of listing.found) git.push(each);
    // Deep in such a folder, what comes leaves no mark on the listed one.
    if (listing.hasOdd) git.push(...findOdd(folders[at] ?? root));
    // Services of git, such as the one that watches files, lie beside its configuration.
    const inGit = listing.found.filter(({ kind }) => kind === 'folder');
    for (const each of [listing, ...inGit.map((folder) => list(folder.git))]) {
      if (sockets.length > MOST_PINS) break;
      sockets.push(...(each?.sockets ?? []).slice(0, MOST_PINS + 1));
    }
    for (const folder of listing.folders) folders.push(folder);
  }
  return { git, sockets };
}

/** How long it looks before other work of the host gets its turn, and how many folders between two checks. */
const BURST_MS = 10;
const CHECKED = 50;

interface Listing {
  readonly folders: readonly string[];
  readonly sockets: readonly string[];
  readonly found: readonly Git[];
  /** Some names are not UTF-8. */
  readonly hasOdd: boolean;
}

const listings = createStatCache(
  (folder): Listing => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const toPaths = (found: typeof entries) => found.map(({ name }) => `${folder}/${name}`);
    const named = entries.filter(({ name }) => !name.includes(ODD));
    const own = named.filter(isGit).map((entry): Git => {
      const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file';
      return { git: `${folder}/${entry.name}`, kind };
    });
    return {
      folders: toPaths(named.filter((entry) => entry.isDirectory() && !isGit(entry))),
      sockets: toPaths(named.filter((entry) => entry.isSocket())),
      found: own,
      hasOdd: named.length < entries.length,
    };
  },
  { kept: 100_000, keptBytes: 16 * MB },
);

/** Some file systems, such as those of Windows in WSL, don't distinguish upper and lower case. */
function isGit({ name }: { readonly name: string }): boolean {
  return name.toLowerCase() === '.git';
}

/** A `.git`, or a socket, which may be one of a service, below a name that is not UTF-8. */
function findOdd(folder: string): readonly Git[] {
  const isKept = ({ name, isSocket }: OddEntry) => isSocket || isGit({ name: path.basename(name) });
  try {
    const odd = listOddEntries(folder).find(isKept);
    return odd === undefined ? [] : [{ git: `${folder}/${odd.name}`, kind: 'odd' }];
  } catch (fault) {
    if (GONE.has(getCode(fault) ?? '')) return [];
    return [{ git: folder, kind: 'closed' }];
  }
}

/** Undefined: it is gone. */
function list(folder: string): Listing | undefined {
  try {
    return listings.get(folder);
  } catch (fault) {
    if (GONE.has(getCode(fault) ?? '')) return undefined;
    const found: readonly Git[] = [{ git: folder, kind: 'closed' }];
    return { folders: [], sockets: [], found, hasOdd: false };
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
