import { readdirSync } from 'node:fs';
import path from 'node:path';
import { listOdd, ODD } from '../../../base/disk/oddNames.ts';
import { createStatCache } from '../../../base/disk/statCache.ts';
import { getCode } from '../../../base/faults.ts';
import { MB } from '../../../base/units.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import { filterSearch, listHiddenPaths } from '../../../permissions/evaluate/searchFilter.ts';
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
 * change since the last call are neither listed nor evaluated again. Rejects where such a file can't be named.
 */
export async function findMasks(
  { policy, compiler }: Pick<GateContext, 'policy' | 'compiler'>,
  signal: AbortSignal,
): Promise<FoundMasks> {
  const current = policy();
  const compiled = compiler.compile(current);
  const masks = [...listHiddenPaths(compiled)];
  const seen = new Map<string, Listing>();
  for (const written of current.folders.workspace) {
    const root = realFolder(written, current.platform);
    const filter = filterSearch({ tool: 'read', folder: root, showsAsked: false }, compiled);
    // Where no rule hides anything, what is there has to be known all the same.
    const hides = filter && ((file: string) => !filter.shows(file.slice(root.length + 1)));
    const look = { root, compiled, hides, seen };
    let found: readonly string[] | undefined;
    for (let left = LOOKS; found === undefined && left > 0; left -= 1) {
      found = await findBelow(look, signal);
    }
    if (found === undefined) throw new Error(`The folders of ${root} are moved all the time.`);
    for (const file of found) masks.push(file);
  }
  return { masks, had: (file, id) => wasThere(file, seen, id) };
}

/** How often it looks before it gives up. */
const LOOKS = 5;

interface Look {
  readonly root: string;
  readonly compiled: CompiledPolicy;
  readonly seen: Map<string, Listing>;
  /** Absent: no rule hides anything. */
  readonly hides: ((file: string) => boolean) | undefined;
}

/** Undefined when a folder was moved or deleted during the look: its files may be somewhere else now. */
async function findBelow(
  { root, compiled, hides, seen }: Look,
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
    for (const file of findHidden(listing, compiled, hides)) masks.push(file);
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
  /** What the rules hide of the files. Reading is decided by names only, so it stays true with the rules. */
  decided?: Decided;
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
  const { decided } = listing;
  if (decided?.rules === rules && decided.scope === scope) return decided.hidden;
  const hidden = listing.files.filter(hides);
  listing.decided = { rules, scope, hidden };
  return hidden;
}
