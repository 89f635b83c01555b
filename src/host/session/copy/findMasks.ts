import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../../base/disk/statCache.ts';
import { MB } from '../../../base/units.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import { filterSearch } from '../../../permissions/evaluate/searchFilter.ts';
import type { CompiledPolicy } from '../../../permissions/rules/compiledPolicy.ts';

/**
 * The files of the workspace that reading asks about or that may not be read: what runs unasked must not
 * see them. Absolute. Folders that didn't change since the last call are neither listed nor evaluated again.
 */
export async function findMasks(
  { policy, compiler }: Pick<GateContext, 'policy' | 'compiler'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const current = policy();
  const compiled = compiler.compile(current);
  const masks: string[] = [];
  let since = performance.now();
  for (const root of current.folders.workspace) {
    const filter = filterSearch({ tool: 'read', folder: root, showsAsked: false }, compiled);
    const folders = filter === undefined ? [] : [''];
    for (const folder of folders) {
      if (performance.now() - since > BURST_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
      signal.throwIfAborted();
      // A folder that can't be read can't be read by the user's commands either.
      const listing = list(folder === '' ? root : `${root}/${folder}`);
      if (listing === undefined || filter === undefined) continue;
      const below = folder === '' ? '' : `${folder}/`;
      for (const name of listing.folders) folders.push(below + name);
      // What a link leads to is masked under its own name.
      const hides = (name: string) => !filter.shows(below + name);
      const hidden = findHidden(listing, `${root}\0${folder}`, compiled, hides);
      for (const name of hidden) masks.push(path.join(root, below, name));
    }
  }
  return masks;
}

/** The names of the files and folders that lie directly in a folder; links and the like are left out. */
interface Listing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

const listings = createStatCache(
  (folder): Listing => {
    const entries = readdirSync(folder, { withFileTypes: true });
    return {
      files: entries.filter((entry) => entry.isFile()).map(({ name }) => name),
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    };
  },
  { kept: 100_000, keptBytes: 16 * MB },
);

/** Undefined: it can't be read, or it is gone. */
function list(folder: string): Listing | undefined {
  try {
    return listings.get(folder);
  } catch {
    return undefined;
  }
}

interface Hidden {
  readonly rules: CompiledPolicy['rules'];
  readonly scope: CompiledPolicy['scope'];
  /** The root and the folder: where a folder moves to, other rules apply. */
  readonly at: string;
  readonly names: readonly string[];
}

/** What the rules hide of a listing. Reading is decided by names only, so it stays true while both stay. */
const decided = new WeakMap<Listing, Hidden>();

function findHidden(
  listing: Listing,
  at: string,
  { rules, scope }: CompiledPolicy,
  hides: (name: string) => boolean,
): readonly string[] {
  const last = decided.get(listing);
  if (last?.rules === rules && last.scope === scope && last.at === at) return last.names;
  const names = listing.files.filter(hides);
  decided.set(listing, { rules, scope, at, names });
  return names;
}

/** How long it looks before other work of the host gets its turn. */
const BURST_MS = 10;
