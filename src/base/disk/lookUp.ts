import { isUtf8 } from 'node:buffer';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { createNameFinder, type EntryId, isOddName, toStoredName } from './folderCase.ts';

/** What is on the disk under a path. */
export interface Link {
  readonly exists: boolean;
  /** Where the link leads, if it is one. */
  readonly target?: string;
  /** Where it leads isn't UTF-8, so that can't be looked up. */
  readonly odd?: true;
  /** Another name, by which its folder lists it. */
  readonly listed?: string;
  /** The folder opens it, but lists nothing that is the same. */
  readonly lost?: true;
  /** Which file it is, if it has several hard links. */
  readonly inode?: EntryId;
  /** Which folder it is, if it is one. */
  readonly folder?: EntryId;
  /** It lies, or would, in a folder that ignores case. */
  readonly folds?: true;
  /** The name that a file system would give to a new file. */
  readonly stored?: string;
}

export type LinkCache = Map<string, Link>;

export const MISSING: Link = { exists: false };
const PLAIN: Link = { exists: true };

/** Neither a link nor a file that has other names. */
export function isPlain({ exists, target, odd, listed, lost, inode, folds }: Link): boolean {
  return (
    exists &&
    folds !== true &&
    [target, odd, listed, lost, inode].every((each) => each === undefined)
  );
}

/** Finds other names on systems whose rules compare names as they are written. */
const names = createNameFinder();

/**
 * What a folder opens under a name. The path of the folder is empty for `/`; `id` is which folder it is, if that is known.
 */
export function readLink(
  folder: string,
  name: string,
  id: EntryId | undefined,
  {
    platform,
    cache,
  }: { readonly platform: NodeJS.Platform; readonly cache: LinkCache | undefined },
): Link {
  const path = `${folder}/${name}`;
  const known = cache?.get(path);
  if (known !== undefined) return known;
  const link = lookUp(path, platform === 'linux' ? { folder, name, id } : undefined);
  cache?.set(path, link);
  return link;
}

/** Whether it is a folder that ignores case. */
export function ignoresCase(path: string, { folder }: Link): boolean {
  return folder !== undefined && names.readCase(path, folder) === 'folds';
}

interface Named {
  readonly folder: string;
  readonly name: string;
  readonly id: EntryId | undefined;
}

function lookUp(path: string, named: Named | undefined): Link {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (named === undefined) return stats === undefined ? MISSING : toLink(path, stats);
    const folder = named.folder === '' ? '/' : named.folder;
    const id = named.id ?? readId(folder);
    if (stats === undefined) return id === undefined ? MISSING : toMissing(folder, named.name, id);
    if (id === undefined) return { exists: true, lost: true };
    const kind = names.readCase(folder, id, named.name, stats);
    if (kind === 'distinct' || (kind === 'odd' && !isOddName(named.name)))
      return toLink(path, stats);
    const listed = names.findListed(folder, named.name, stats);
    if (listed === undefined) return { exists: true, lost: true };
    if (listed !== named.name) return { exists: true, listed };
    const link = toLink(path, stats);
    return kind === 'folds' ? { ...link, folds: true } : link;
  } catch {
    // Not a folder, no permission, or a name that is too long: the kernel can't open the path
    // either.
    return MISSING;
  }
}

function toMissing(folder: string, name: string, id: EntryId): Link {
  if (names.readCase(folder, id) !== 'folds') return MISSING;
  const stored = toStoredName(name);
  return { exists: false, folds: true, ...(stored !== name && { stored }) };
}

function toLink(path: string, stats: Stats): Link {
  const { dev, ino } = stats;
  if (stats.isDirectory()) return { exists: true, folder: { dev, ino } };
  if (stats.isFile() && stats.nlink > 1) return { exists: true, inode: { dev, ino } };
  if (!stats.isSymbolicLink()) return PLAIN;
  const target = readlinkSync(path, { encoding: 'buffer' });
  if (!isUtf8(target)) return { exists: true, odd: true };
  // Elsewhere a backslash is a character of a name.
  const text = target.toString();
  return { exists: true, target: process.platform === 'win32' ? text.replaceAll('\\', '/') : text };
}

/** Undefined: there is no such folder. The top of the system stays the same. */
function readId(folder: string): EntryId | undefined {
  if (folder !== '/') return lstatSync(folder, { throwIfNoEntry: false });
  top ??= lstatSync(folder, { throwIfNoEntry: false });
  return top;
}

let top: EntryId | undefined;
