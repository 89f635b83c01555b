import { lstatSync } from 'node:fs';
import path from 'node:path';

/**
 * Whether something in one of the folders has the name that an address in the word begins with, as `http:`, so
 * that the address is a path as well. Empty names of folders are unknown ones.
 */
export function hasAddressFolder(word: string, folders: readonly string[]): boolean {
  const name = /[a-z][a-z0-9+.-]*:(?=\/\/)/i.exec(word)?.[0];
  if (name === undefined) return false;
  return folders.some((folder) => folder !== '' && isThere(path.join(folder, name)));
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder can't be looked into, or is none.
    return true;
  }
}
