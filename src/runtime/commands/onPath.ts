import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * Finds a program in these folders. Skips relative folders, which would find programs in the
 * workspace.
 */
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
    // Doesn't exist or isn't executable: try the next one.
    return false;
  }
}
