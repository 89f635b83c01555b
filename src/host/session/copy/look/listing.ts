import { readdirSync } from 'node:fs';
import path from 'node:path';
import { listOdd, ODD } from '../../../../base/disk/oddNames.ts';
import { createStatCache, isOld } from '../../../../base/disk/statCache.ts';
import { getCode } from '../../../../base/faults.ts';
import { MB } from '../../../../base/units.ts';
import type { CompiledPolicy } from '../../../../permissions/rules/compiledPolicy.ts';
import { toFolderId } from '../../../../runtime/sandbox/changes/meanwhile.ts';
import type { FolderStamp } from '../../../../runtime/workers/folderTable.ts';

/** The files and folders that lie directly in a folder, absolute; links and the like are left out. */
export interface Listing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** All its names, also of links. */
  readonly all: readonly string[];
  /** The same, once one of them was asked for. */
  names?: ReadonlySet<string>;
  /** Its `toFolderId`. */
  readonly id: string;
  /**
   * Undefined: what it holds may change without another stamp, since it was so young, or since folders that have no
   * name in UTF-8 are looked through with it.
   */
  readonly stamp: FolderStamp | undefined;
  /** Some of its names are not UTF-8. */
  readonly hasOdd: boolean;
  /**
   * What the rules hide of the files, newest first: for commands, and for servers, which no capabilities limit. Reading is
   * decided by names only, so it stays true with the rules.
   */
  decided: readonly Decided[];
}

interface Decided extends Pick<CompiledPolicy, 'rules' | 'scope'> {
  readonly hidden: readonly string[];
}

/** `closed`: it can't be listed. */
export type FolderEntry = Listing | 'closed';

/** What a look found in each folder. */
export type FolderEntries = ReadonlyMap<string, FolderEntry>;

/** Undefined: it is gone. */
export function list(folder: string): FolderEntry | undefined {
  try {
    return listings.get(folder);
  } catch (fault) {
    return GONE.has(getCode(fault) ?? '') ? undefined : 'closed';
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

const listings = createStatCache(
  (folder, stats): Listing => {
    const now = Date.now();
    const entries = readdirSync(folder, { withFileTypes: true });
    const toPaths = (found: typeof entries) => found.map(({ name }) => `${folder}/${name}`);
    const hasOdd = entries.some(isOdd);
    return {
      // What a link leads to is masked under its own name.
      files: toPaths(entries.filter((entry) => entry.isFile() && !isOdd(entry))),
      folders: toPaths(entries.filter((entry) => entry.isDirectory() && !isOdd(entry))),
      all: entries.map(({ name }) => name),
      id: toFolderId(stats),
      stamp: !hasOdd && isOld(stats, now) ? stats : undefined,
      hasOdd,
      decided: [],
    };
  },
  { kept: 100_000, keptBytes: 16 * MB },
);

function isOdd({ name }: { readonly name: string }): boolean {
  return name.includes(ODD);
}

/**
 * What is hidden of a folder's files. Throws where it can't be covered. `compiled`: what it was found by is the same
 * wherever these rules are.
 */
export function findHidden(
  folder: string,
  listing: Listing,
  { hides, compiled }: { hides: (file: string) => boolean; compiled?: CompiledPolicy },
): readonly string[] {
  if (listing.hasOdd) expectNoneHidden(folder, hides);
  if (compiled === undefined) return listing.files.filter(hides);
  const { rules, scope } = compiled;
  const known = listing.decided.find((each) => each.rules === rules && each.scope === scope);
  if (known !== undefined) return known.hidden;
  const hidden = listing.files.filter(hides);
  listing.decided = [{ rules, scope, hidden }, ...listing.decided.slice(0, 1)];
  return hidden;
}

/** Nothing can be laid over a file whose path is not UTF-8. */
function expectNoneHidden(folder: string, hides: (file: string) => boolean): void {
  const hidden = listOdd(folder).find((name) => hides(`${folder}/${name}`));
  if (hidden === undefined) return;
  throw new Error(
    `Rules hide ${JSON.stringify(hidden)} in ${folder}, and a path that is not UTF-8 can't be covered.`,
  );
}

/** Whether there was something with this absolute path; with an id, whether it was this folder. Undefined: not known. */
export function wasThere(file: string, entries: FolderEntries, id?: string): boolean | undefined {
  const folder = getListing(file, entries);
  if (id !== undefined && folder !== undefined) return folder.id === id;
  const parent = path.dirname(file);
  const listing = getListing(parent, entries);
  if (listing !== undefined) return hasName(listing, path.basename(file));
  // In a folder that wasn't there nothing was.
  return parent !== file && wasThere(parent, entries) === false ? false : undefined;
}

function getListing(folder: string, entries: FolderEntries): Listing | undefined {
  const entry = entries.get(folder);
  return entry === 'closed' ? undefined : entry;
}

function hasName(listing: Listing, name: string): boolean {
  listing.names ??= new Set(listing.all);
  return listing.names.has(name);
}
