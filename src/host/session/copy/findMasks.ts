import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import type { GateContext } from '../../../gate/gateContext.ts';
import { filterSearch } from '../../../permissions/evaluate/searchFilter.ts';

/**
 * The files of the workspace that reading asks about or that may not be read: what runs unasked must not
 * see them. Absolute.
 */
export async function findMasks(
  { policy, compiler }: Pick<GateContext, 'policy' | 'compiler'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const current = policy();
  const compiled = compiler.compile(current);
  const masks: string[] = [];
  for (const root of current.folders.workspace) {
    const filter = filterSearch({ tool: 'read', folder: root, showsAsked: false }, compiled);
    const folders = filter === undefined ? [] : [''];
    for (const folder of folders) {
      if (folders.length % BURST === 0) await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      for (const entry of list(path.join(root, folder)) ?? []) {
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) folders.push(name);
        // What a link leads to is masked under its own name.
        else if (entry.isFile() && filter?.shows(name) === false) masks.push(path.join(root, name));
      }
    }
  }
  return masks;
}

/** Undefined: the folder can't be read, so the user's commands can't either. */
function list(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

/** Folders that are listed before other work of the host gets its turn. */
const BURST = 100;
