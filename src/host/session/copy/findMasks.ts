import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { listOdd, ODD } from '../../../base/disk/oddNames.ts';
import { createStatCache } from '../../../base/disk/statCache.ts';
import { getCode } from '../../../base/faults.ts';
import { MB } from '../../../base/units.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import {
  filterSearch,
  findRuled,
  listHiddenPaths,
} from '../../../permissions/evaluate/searchFilter.ts';
import { realFolder } from '../../../permissions/patterns/paths.ts';
import type { CompiledPolicy } from '../../../permissions/rules/compiledPolicy.ts';
import { toFolderId } from '../../../runtime/sandbox/changes/meanwhile.ts';
import type { Had } from '../../../runtime/sandbox/sandbox.ts';

export interface FoundMasks {
  readonly masks: readonly string[];
  /** What the folders held that were looked at. */
  readonly had: Had;
}

/**
 * The files of the workspace that reading asks about or that may not be read: what runs unasked must not
 * see them. Absolute. A folder that can't be listed is one of them, since a command could open it. Folders that didn't
 * change since the last call are neither listed nor evaluated again. Rejects where such a file can't be named. Of `others`,
 * which lie outside of the workspace, what rules are about is found.
 */
export async function findMasks(
  { policy, compiler }: Pick<GateContext, 'policy' | 'compiler'>,
  signal: AbortSignal,
  others: readonly string[] = [],
): Promise<FoundMasks> {
  signal.throwIfAborted();
  const current = policy();
  const compiled = compiler.compile(current);
  const masks = [...listHiddenPaths(compiled)];
  const seen = new Map<string, Listing>();
  for (const written of current.folders.workspace) {
    const root = realFolder(written, current.platform);
    const filter = filterSearch({ tool: 'read', folder: root, showsAsked: false }, compiled);
    // Where no rule hides anything, what is there has to be known all the same.
    const hides = filter && ((file: string) => !filter.shows(file.slice(root.length + 1)));
    for (const file of await findSettled({ root, compiled, hides, seen }, signal)) masks.push(file);
  }
  for (const other of others) {
    for (const file of await findRuledBelow(other, compiled, signal)) masks.push(file);
  }
  return { masks, had: (file, id) => wasThere(file, seen, id) };
}

async function findSettled(look: Look, signal: AbortSignal): Promise<readonly string[]> {
  for (let left = LOOKS; left > 0; left -= 1) {
    const found = await findBelow(look, signal);
    if (found !== undefined) return found;
  }
  throw new Error(`The folders of ${look.root} are moved all the time.`);
}

/** What rules deny or ask about below a folder outside of the workspace; or the file itself, if it is one. */
async function findRuledBelow(
  written: string,
  compiled: CompiledPolicy,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const root = realFolder(written, compiled.policy.platform);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const isFolder = stats.isDirectory();
  const hides = findRuled({ path: root, isFolder }, compiled);
  if (hides === undefined) return [];
  if (!isFolder) return hides(root) ? [root] : [];
  return findSettled({ root, compiled, hides, isOutside: true, seen: new Map() }, signal);
}

/** How often it looks before it gives up. */
const LOOKS = 5;

interface Look {
  readonly root: string;
  readonly compiled: CompiledPolicy;
  readonly seen: Map<string, Listing>;
  /** It lies outside of the workspace, where less is hidden. */
  readonly isOutside?: true;
  /** Absent: no rule hides anything. */
  readonly hides: ((file: string) => boolean) | undefined;
}

/** Undefined when a folder was moved or deleted during the look: its files may be somewhere else now. */
async function findBelow(
  { root, compiled, hides, seen, isOutside }: Look,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const masks: string[] = [];
  const folders = [root];
  let since = performance.now();
  for (let at = 0; at < folders.length; at += 1) {
    if (at % CHECKED === 0 && performance.now() - since > BURST_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      since = performance.now();
    }
    const folder = folders[at] ?? root;
    const listing = list(folder);
    if (listing === undefined) return undefined;
    if (listing === 'closed' && hides !== undefined) masks.push(folder);
    if (listing === 'closed') continue;
    seen.set(folder, listing);
    for (const folder of listing.folders) folders.push(folder);
    if (hides === undefined) continue;
    if (listing.hasOdd) expectNoneHidden(folder, hides);
    const hidden = isOutside ? listing.files.filter(hides) : findHidden(listing, compiled, hides);
    for (const file of hidden) masks.push(file);
  }
  return masks;
}

function wasThere(
  file: string,
  seen: ReadonlyMap<string, Listing>,
  id?: string,
): boolean | undefined {
  const folder = seen.get(file);
  if (id !== undefined && folder !== undefined) return folder.id === id;
  const parent = path.dirname(file);
  const listing = seen.get(parent);
  if (listing !== undefined) return hasName(listing, path.basename(file));
  // In a folder that wasn't there nothing was.
  return parent !== file && wasThere(parent, seen) === false ? false : undefined;
}

function hasName(listing: Listing, name: string): boolean {
  listing.names ??= new Set(listing.all);
  return listing.names.has(name);
}

/** How long it looks before other work of the host gets its turn, and how many folders between two checks. */
const BURST_MS = 10;
const CHECKED = 50;

/** The files and folders that lie directly in a folder, absolute; links and the like are left out. */
interface Listing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** All its names, also of links. */
  readonly all: readonly string[];
  /** The same, once one of them was asked for. */
  names?: ReadonlySet<string>;
  /** Its `toFolderId`. */
  readonly id: string;
  /** Some of its names are not UTF-8. */
  readonly hasOdd: boolean;
  /**
   * What the rules hide of the files, newest first: for commands, and for servers, which no capabilities limit. Reading is
   * decided by names only, so it stays true with the rules.
   */
  decided: readonly Decided[];
}

interface Decided {
  readonly rules: CompiledPolicy['rules'];
  readonly scope: CompiledPolicy['scope'];
  readonly hidden: readonly string[];
}

const listings = createStatCache(
  (folder, stats): Listing => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const toPaths = (found: typeof entries) => found.map(({ name }) => `${folder}/${name}`);
    return {
      // What a link leads to is masked under its own name.
      files: toPaths(entries.filter((entry) => entry.isFile() && !isOdd(entry))),
      folders: toPaths(entries.filter((entry) => entry.isDirectory() && !isOdd(entry))),
      all: entries.map(({ name }) => name),
      id: toFolderId(stats),
      hasOdd: entries.some(isOdd),
      decided: [],
    };
  },
  { kept: 100_000, keptBytes: 16 * MB },
);

function isOdd({ name }: { readonly name: string }): boolean {
  return name.includes(ODD);
}

/** Undefined: it is gone. `closed`: it can't be listed. */
function list(folder: string): Listing | 'closed' | undefined {
  try {
    return listings.get(folder);
  } catch (fault) {
    return GONE.has(getCode(fault) ?? '') ? undefined : 'closed';
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Nothing can be laid over a file whose path is not UTF-8. */
function expectNoneHidden(folder: string, hides: (file: string) => boolean): void {
  const hidden = listOdd(folder).find((name) => hides(`${folder}/${name}`));
  if (hidden === undefined) return;
  throw new Error(
    `Rules hide ${JSON.stringify(hidden)} in ${folder}, and a path that is not UTF-8 can't be covered.`,
  );
}

function findHidden(
  listing: Listing,
  { rules, scope }: CompiledPolicy,
  hides: (file: string) => boolean,
): readonly string[] {
  const known = listing.decided.find((each) => each.rules === rules && each.scope === scope);
  if (known !== undefined) return known.hidden;
  const hidden = listing.files.filter(hides);
  listing.decided = [{ rules, scope, hidden }, ...listing.decided.slice(0, 1)];
  return hidden;
}
