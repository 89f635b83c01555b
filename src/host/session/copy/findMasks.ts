import { statSync } from 'node:fs';
import type { GateContext } from '../../../gate/gateContext.ts';
import {
  filterSearch,
  findRuled,
  listHiddenPaths,
} from '../../../permissions/evaluate/searchFilter.ts';
import { realFolder } from '../../../permissions/patterns/paths.ts';
import type { CompiledPolicy } from '../../../permissions/rules/compiledPolicy.ts';
import type { Had } from '../../../runtime/sandbox/sandbox.ts';
import type { FolderChecker } from '../../../runtime/workers/folderChecker.ts';
import { findHiddenBelow } from './look/findHiddenBelow.ts';
import { type FolderEntries, wasThere } from './look/listing.ts';

export interface FoundMasks {
  readonly masks: readonly string[];
  /** What the folders held that were looked at. */
  readonly had: Had;
}

export interface LookParts extends Pick<GateContext, 'policy' | 'compiler'> {
  /** Looks which folders of a large workspace changed since the last call that had it. Absent: this thread does. */
  readonly checker?: FolderChecker;
}

/**
 * The files of the workspace that reading asks about or that may not be read: what runs unasked must not
 * see them. Absolute. A folder that can't be listed is one of them, since a command could open it. Folders that didn't
 * change since the last call are neither listed nor evaluated again. Rejects where such a file can't be named. Of `others`,
 * which lie outside of the workspace, what rules are about is found.
 */
export async function findMasks(
  { policy, compiler, checker }: LookParts,
  signal: AbortSignal,
  others: readonly string[] = [],
): Promise<FoundMasks> {
  signal.throwIfAborted();
  const current = policy();
  const compiled = compiler.compile(current);
  const masks = [...listHiddenPaths(compiled)];
  const looked: FolderEntries[] = [];
  for (const written of current.folders.workspace) {
    const root = realFolder(written, current.platform);
    const filter = filterSearch({ tool: 'read', folder: root, showsAsked: false }, compiled);
    // Where no rule hides anything, what is there has to be known all the same.
    const hides = filter && ((file: string) => !filter.shows(file.slice(root.length + 1)));
    const found = await findHiddenBelow({ root, compiled, hides, checker }, signal);
    for (const file of found.masks) masks.push(file);
    looked.push(found.entries);
  }
  for (const other of others) {
    for (const file of await findRuledBelow(other, compiled, signal)) masks.push(file);
  }
  return { masks, had: (file, id) => wasThereIn(file, looked, id) };
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
  return (await findHiddenBelow({ root, compiled, hides, isOutside: true }, signal)).masks;
}

function wasThereIn(
  file: string,
  looked: readonly FolderEntries[],
  id?: string,
): boolean | undefined {
  for (const entries of looked) {
    const was = wasThere(file, entries, id);
    if (was !== undefined) return was;
  }
  return undefined;
}
