import { lstatSync } from 'node:fs';
import path from 'node:path';

/**
 * Whether something in one of the folders has a name that an address may begin with, as `http:`, so that the
 * address is a path as well. Empty names of folders are unknown ones.
 */
export function hasAddressFolder(names: readonly string[], folders: readonly string[]): boolean {
  const known = folders.filter((folder) => folder !== '');
  return names.some((name) => known.some((folder) => isThere(path.join(folder, name))));
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder can't be looked into, or is none.
    return true;
  }
}
