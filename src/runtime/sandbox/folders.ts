import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { getCode } from '../../base/faults.ts';

/** Creates the folders of a copy with so many overlays; existing upper folders are kept. */
export function makeFolders(folder: string, overlays: number): void {
  for (const name of ['home', 'tmp', 'mask']) {
    mkdirSync(path.join(folder, name), { recursive: true, mode: 0o700 });
  }
  rmSync(path.join(folder, 'mask'), { recursive: true, force: true });
  mkdirSync(path.join(folder, 'mask'), { mode: 0o700 });
  for (let index = 0; index < overlays; index += 1) {
    const overlay = path.join(folder, `o${index}`);
    // A volatile mount refuses the work folder of an earlier one.
    removeFolder(path.join(overlay, 'w'));
    for (const name of ['l', 'u', 'w', 'm']) {
      mkdirSync(path.join(overlay, name), { recursive: true, mode: 0o700 });
    }
  }
}

/** Removes a folder with everything in it. The kernel makes folders of mode 000 in work folders. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (fault) {
    if (getCode(fault) !== 'EACCES' && getCode(fault) !== 'EPERM') throw fault;
    openFolders(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) openBelow(Buffer.from(`${folder}/`), entry.name);
  }
}

function openBelow(parent: Buffer, name: Buffer): void {
  const folder = Buffer.concat([parent, name]);
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) openBelow(Buffer.concat([folder, Buffer.from('/')]), entry.name);
  }
}
