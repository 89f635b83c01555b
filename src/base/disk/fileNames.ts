import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Identifies a file among all of this machine, whatever its names (hard links). */
export function identifyFile({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/**
 * The names below a folder of the files with these ids, absolute, in bytes; not those in a `.git`. What can't be listed is
 * left out. The event loop gets its turns.
 */
export async function findFileNames(
  root: string,
  ids: ReadonlySet<string>,
): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  const folders = [Buffer.from(root)];
  let looked = 0;
  for (const folder of folders) {
    for (const entry of list(folder)) {
      looked += 1;
      if (looked % ENTRIES_A_TURN === 0) await nextTurn();
      const file = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) {
        if (entry.name.toString('latin1').toLowerCase() !== '.git') folders.push(file);
      } else if (entry.isFile() && isOneOf(file, ids)) found.push(file);
    }
  }
  return found;
}

const ENTRIES_A_TURN = 500;

function list(folder: Buffer): readonly Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    // It is gone, or closed.
    return [];
  }
}

function isOneOf(file: Buffer, ids: ReadonlySet<string>): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.nlink > 1 && ids.has(identifyFile(stats));
}
