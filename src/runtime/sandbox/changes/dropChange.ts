import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { getCode } from '../../../base/faults.ts';
import type { CopyChange } from './changes.ts';

/**
 * Removes one change from the upper folder of a copy, so that it shows the workspace's own entry again.
 * An added folder stays while something else in it stays.
 */
export function dropChange(change: CopyChange): void {
  const { copy, type, kind } = change;
  const found = findEntry(copy);
  if (found === undefined) {
    if (type === 'deleted') showParent(copy);
    return;
  }
  if (!found.isDirectory()) unlinkSync(copy);
  else if (type === 'mode') dropFolderMode(change);
  else if (type !== 'deleted' && kind === 'folder' && readdirSync(copy).length === 0)
    rmdirSync(copy);
}

/**
 * Gives a folder of the copy the mode that the workspace's own has by now: the change may have been made there. The copy
 * takes the folder anew, unless it hides something, so that a later change of the mode is no conflict with this one.
 */
function dropFolderMode({ copy, file, wasMode = 0o755, hides }: CopyChange): void {
  const own = findEntry(file);
  const mode = own?.isDirectory() ? own.mode & 0o7777 : wasMode;
  if (hides !== true) {
    chmodSync(copy, 0o700);
    if (takeAnew(copy) === 'removed') return;
  }
  chmodSync(copy, mode);
}

/** What lies in a folder without write permission stays as it is. */
function takeAnew(copy: Buffer): 'removed' | 'kept' {
  try {
    if (readdirSync(copy).length === 0) {
      rmdirSync(copy);
      return 'removed';
    }
    remakeFolder(copy);
  } catch (fault) {
    if (!['EACCES', 'EPERM'].includes(getCode(fault) ?? '')) throw fault;
  }
  return 'kept';
}

/** A deleted folder is one entry of the copy, and no folder: what lay in it has no entry of its own. */
function findEntry(copy: Buffer): Stats | undefined {
  try {
    return lstatSync(copy, { throwIfNoEntry: false });
  } catch (fault) {
    if (getCode(fault) === 'ENOTDIR') return undefined;
    throw fault;
  }
}

/**
 * Nothing marks the entry as deleted, so its folder was removed and made anew, and hides all that the
 * workspace has there. A new folder with the same content hides nothing.
 */
function showParent(copy: Buffer): void {
  const end = copy.lastIndexOf('/');
  const parent = copy.subarray(0, end);
  if (findEntry(parent)?.isDirectory()) remakeFolder(parent);
}

/** Moves what a folder of the copy holds into a new one, which hides nothing of the workspace. */
export function remakeFolder(parent: Buffer): void {
  const { mode } = lstatSync(parent);
  const fresh = Buffer.concat([parent, Buffer.from(`.${process.pid}.fresh`)]);
  mkdirSync(fresh, { mode: 0o700 });
  const slash = Buffer.from('/');
  for (const name of readdirSync(parent, { encoding: 'buffer' })) {
    renameSync(Buffer.concat([parent, slash, name]), Buffer.concat([fresh, slash, name]));
  }
  chmodSync(fresh, mode & 0o7777);
  rmdirSync(parent);
  renameSync(fresh, parent);
}
