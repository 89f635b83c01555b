import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';

/** Directory entries to visit before giving up the search for a file's other names. */
const ENTRY_LIMIT = 200_000;

/** All names of the file if all are below `folders`; undefined when that cannot be proved. */
export async function findNames(
  folders: readonly string[],
  { dev, ino, nlink }: Stats,
): Promise<readonly string[] | undefined> {
  const names = new Set<string>();
  const open = [...folders];
  for (let seen = 0; open.length > 0; ) {
    const folder = open.pop();
    if (folder === undefined) break;
    const entries = await opendir(folder).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      seen += 1;
      if (seen > ENTRY_LIMIT) return undefined;
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) open.push(full);
      if (!entry.isFile()) continue;
      const stats = await lstat(full).catch(() => undefined);
      if (stats?.ino === ino && stats.dev === dev) names.add(full);
      if (names.size >= nlink) return [...names];
    }
  }
  return undefined;
}
