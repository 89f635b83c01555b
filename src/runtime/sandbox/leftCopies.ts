import { readdirSync } from 'node:fs';
import path from 'node:path';
import { getCode } from '../../base/faults.ts';
import { removeFolder } from './folders.ts';

/**
 * Removes the copies that no session has any more, below the folder that holds a copy for each session.
 * Mounts need no care: they end with the namespace of their command.
 */
export function removeLeftCopies(folder: string, isKept: (session: string) => boolean): void {
  for (const name of list(folder)) {
    if (!isKept(name)) removeFolder(path.join(folder, name));
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (fault) {
    if (getCode(fault) === 'ENOENT') return [];
    throw fault;
  }
}
