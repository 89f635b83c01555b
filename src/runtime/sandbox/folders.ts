import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCode } from '../../base/faults.ts';

/**
 * Creates the folders of a copy with so many overlays; existing upper folders are kept, and so is /tmp. Without an
 * overlay, HOME is kept too.
 */
export function makeFolders(folder: string, overlays: number): void {
  const home = path.join(folder, 'home');
  if (overlays > 0) removeFolder(home);
  for (const name of ['home', 'tmp', 'mask']) {
    makeOpen(path.join(folder, name));
  }
  rmSync(path.join(folder, 'mask'), { recursive: true, force: true });
  mkdirSync(path.join(folder, 'mask'), { mode: 0o700 });
  for (let index = 0; index < overlays; index += 1) {
    const overlay = path.join(folder, `o${index}`);
    // A volatile mount refuses the work folder of an earlier one.
    removeFolder(path.join(overlay, 'w'));
    for (const name of ['l', 'u', 'w', 'm']) makeOpen(path.join(overlay, name));
  }
}

/** Writes a file anew. Emptying one that is there makes ext4 wait for the disk. */
export function writeAnew(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
}

/** A command may have changed the permissions of one that exists. */
function makeOpen(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * Removes a folder with everything in it, however deep and with whatever permissions. The kernel makes folders of mode
 * 000 in work folders.
 */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (fault) {
    if (!IN_THE_WAY.has(getCode(fault) ?? '')) throw fault;
    for (const _ of openFolders(folder));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same for what is of no more use: what can't be removed stays, and the next host tries again. */
export function tryToRemove(folder: string): void {
  try {
    removeFolder(folder);
  } catch {
    // Such as a folder on which something is mounted.
  }
}

const IN_THE_WAY: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTEMPTY']);

/**
 * The same for a folder in which a command may have made many files. The event loop gets its turns. The name is free at
 * once.
 */
export async function removeLargeFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const aside = `${folder}-${randomUUID()}`;
  renameSync(folder, aside);
  let opened = 0;
  // First, since what else is being removed goes on after a fault.
  for (const _ of openFolders(aside)) {
    opened += 1;
    if (opened % FOLDERS_A_TURN === 0) await nextTurn();
  }
  await rm(aside, { recursive: true, force: true });
}

const FOLDERS_A_TURN = 50;

/** Makes all folders below accessible, and moves those with a long path up. Yields after each. */
function* openFolders(root: string): Generator<void> {
  const folders = [Buffer.from(root)];
  for (const folder of folders) {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue;
      const below = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      if (below.length <= LONG_PATH) {
        folders.push(below);
        continue;
      }
      const moved = Buffer.from(path.join(root, randomUUID()));
      // What it holds can't be moved with it otherwise.
      chmodSync(below, 0o700);
      renameSync(below, moved);
      folders.push(moved);
    }
    yield;
  }
}

/** The system takes paths of 4,096 bytes, and one with another name after this. */
const LONG_PATH = 2000;
