import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** A program in one of these folders; a relative folder would find what a workspace brings. */
export function findOnPath(name: string, folders: string | undefined): string | undefined {
  const program = process.platform === 'win32' ? `${name}.exe` : name;
  return (folders ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, program))
    .find(canRun);
}

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: the next one is tried.
    return false;
  }
}
