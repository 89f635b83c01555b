import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  opendirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
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
  if (overlays > 0) putAway(home);
  putAway(path.join(folder, 'mask'));
  for (const name of ['home', 'tmp', 'mask']) {
    makeOpen(path.join(folder, name));
  }
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
    for (const _ of emptyFolder(folder));
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
  await removeInTurns(aside);
}

/** Frees the name of a folder of a copy at once. What it held is removed meanwhile, at the latest with the copy. */
function putAway(folder: string): void {
  if (!existsSync(folder)) return;
  const aside = path.join(path.dirname(folder), `old-${randomUUID()}`);
  renameSync(folder, aside);
  // What can't be removed goes with the copy, or with its host.
  void removeInTurns(aside).catch(() => undefined);
}

async function removeInTurns(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  let since = performance.now();
  for (const _ of emptyFolder(folder)) {
    if (performance.now() - since < BURST_MS) continue;
    await nextTurn();
    since = performance.now();
  }
  // Some file systems skip entries while others are being removed.
  if (existsSync(folder)) await rm(folder, { recursive: true, force: true });
}

/** How long it removes before other work of the host gets its turn. */
const BURST_MS = 10;

/**
 * Removes all that a folder holds, and the folder. Names are followed, so no command may run that can write there. Makes folders accessible, and moves those with a long path up. Yields
 * after each entry. Another host may be removing the same.
 */
function* emptyFolder(root: string): Generator<void> {
  const folders: Buffer[] = [Buffer.from(root)];
  for (const folder of folders) {
    unlessGone(() => chmodSync(folder, 0o700));
    for (const { name, isFolder } of readEntries(folder)) {
      const below = Buffer.concat([folder, Buffer.from('/'), name]);
      if (isFolder || !removeFile(below)) {
        folders.push(below.length > LONG_PATH ? moveUp(below, root) : below);
      }
      yield;
    }
  }
  for (const folder of folders.reverse()) {
    unlessGone(() => rmdirSync(folder));
    yield;
  }
}

/** False for a folder: not every file system says what an entry is. */
function removeFile(file: Buffer): boolean {
  try {
    unlessGone(() => unlinkSync(file));
    return true;
  } catch (fault) {
    if (['EISDIR', 'EPERM'].includes(getCode(fault) ?? '')) return false;
    throw fault;
  }
}

function moveUp(folder: Buffer, root: string): Buffer {
  const moved = Buffer.from(path.join(root, randomUUID()));
  unlessGone(() => {
    // What it holds can't be moved with it otherwise.
    chmodSync(folder, 0o700);
    renameSync(folder, moved);
  });
  return moved;
}

/** One by one, each byte of a name as a character: listing a large folder at once takes seconds. */
function* readEntries(folder: Buffer): Generator<{ name: Buffer; isFolder: boolean }> {
  const opened = unlessGone(() => opendirSync(folder, { encoding: 'latin1' }));
  if (opened === undefined) return;
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      yield { name: Buffer.from(entry.name, 'latin1'), isFolder: entry.isDirectory() };
    }
  } finally {
    opened.closeSync();
  }
}

function unlessGone<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch (fault) {
    if (GONE.has(getCode(fault) ?? '')) return undefined;
    throw fault;
  }
}

/** What is not empty yet is removed once more. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENOTEMPTY']);

/** The system takes paths of 4,096 bytes, and one with another name after this. */
const LONG_PATH = 2000;
