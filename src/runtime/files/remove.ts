import { lstatSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { findConflict } from './atomicWrite.ts';
import { describeFault, openFolder } from './open.ts';

/**
 * Deletes a regular file (absolute path, links resolved) if it has not changed since it was read.
 * The name is looked up in the opened folder, so a swapped link can't redirect it to another file.
 */
export function removeFile(file: string, stamp: string): Outcome<void> {
  const folder = openFolder(path.dirname(file), false);
  if (!folder.ok) return folder;
  try {
    const target = folder.data.at(path.basename(file));
    const stats = lstatSync(target, { throwIfNoEntry: false });
    const conflict = findConflict({ file, stamp }, stats);
    if (conflict !== undefined) return failure(conflict);
    unlinkSync(target);
    return success(undefined);
  } catch (fault) {
    return failure(`${describeFault(fault, file)} Nothing was changed.`);
  } finally {
    folder.data.close();
  }
}
