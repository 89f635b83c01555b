import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import type { CopyChange } from './changes.ts';

/**
 * Removes one change from the upper folder of a copy, so that it shows the workspace's own entry again.
 * An added folder stays while something else in it stays.
 */
export function dropChange({ copy, type, kind, wasMode }: CopyChange): void {
  const found = lstatSync(copy, { throwIfNoEntry: false });
  if (found === undefined) {
    if (type === 'deleted') showParent(copy);
    return;
  }
  if (!found.isDirectory()) unlinkSync(copy);
  else if (type === 'mode') chmodSync(copy, wasMode ?? 0o755);
  else if (type !== 'deleted' && kind === 'folder' && readdirSync(copy).length === 0)
    rmdirSync(copy);
}

/**
 * Nothing marks the entry as deleted, so its folder was removed and made anew, and hides all that the
 * workspace has there. A new folder with the same content hides nothing.
 */
function showParent(copy: Buffer): void {
  const end = copy.lastIndexOf('/');
  const parent = copy.subarray(0, end);
  const found = lstatSync(parent, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return;
  const fresh = Buffer.concat([parent, Buffer.from(`.${process.pid}.fresh`)]);
  mkdirSync(fresh, { mode: 0o700 });
  const slash = Buffer.from('/');
  for (const name of readdirSync(parent, { encoding: 'buffer' })) {
    renameSync(Buffer.concat([parent, slash, name]), Buffer.concat([fresh, slash, name]));
  }
  chmodSync(fresh, found.mode & 0o7777);
  rmdirSync(parent);
  renameSync(fresh, parent);
}
