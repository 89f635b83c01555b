import { randomUUID } from 'node:crypto';
import {
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writev,
  writevSync,
} from 'node:fs';
import { link, rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { KB } from '../base/units.ts';
import type { Journal } from './journal.ts';
import { codeOf, describeFault, type OpenFolder, openFolder } from './open.ts';
import { overwrite } from './overwrite.ts';
import { stampOf } from './stamp.ts';

export interface AtomicWrite {
  /** Absolute and real. */
  readonly file: string;
  readonly parts: readonly Buffer[];
  /** `stampOf` the file that was read; undefined: the file must not exist. */
  readonly stamp: string | undefined;
  /** What is there now, kept while a file with several names is written in place. */
  readonly before: Buffer | undefined;
  readonly journal: Journal;
  /** Whether every name of a file with several names may be written. */
  mayWriteAllNames(stats: Stats): Promise<boolean>;
}

/**
 * Writes the whole file or nothing. One name: a new file takes its place, with its mode and owner.
 * Several names: in place after a journal copy, so that they stay one file.
 */
export async function writeAtomically(work: AtomicWrite): Promise<Outcome<void>> {
  const parent = path.dirname(work.file);
  const made = work.stamp === undefined ? missingFolders(parent) : [];
  const folder = openFolder(parent, work.stamp === undefined);
  const written = folder.ok ? await writeInto(folder.data, work) : folder;
  if (!written.ok) removeEmpty(made);
  return written;
}

async function writeInto(folder: OpenFolder, work: AtomicWrite): Promise<Outcome<void>> {
  try {
    return await writeIn(folder, work);
  } catch (fault) {
    return failure(`${describeFault(fault, work.file)} Nothing was changed.`);
  } finally {
    folder.close();
  }
}

/** Folders on the way that are not there yet, the innermost first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))];
}

/** A file that could not be created leaves no folders behind either. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Never made, or somebody put something into it meanwhile: then it is not ours to remove.
      return;
    }
  }
}

async function writeIn(folder: OpenFolder, work: AtomicWrite): Promise<Outcome<void>> {
  const name = path.basename(work.file);
  const target = folder.at(name);
  const stats = statOf(target);
  const fault = findConflict(work, stats);
  if (fault !== undefined) return failure(fault);
  if (stats !== undefined && stats.nlink > 1) return writeInPlace(target, stats, work);

  const temporary = `.${name.slice(0, 100)}.${randomUUID()}.tmp`;
  const entry = work.journal.noteTemporary(path.join(folder.path, temporary));
  if (!entry.ok) return entry;
  let published = false;
  try {
    await writeTemporary(folder.at(temporary), stats, work.parts);
    // Writing took a while. What changed meanwhile is somebody's work.
    const meanwhile = findConflict(work, statOf(target));
    if (meanwhile !== undefined) return failure(meanwhile);
    if (stats === undefined) return await publishNew(folder.at(temporary), target, work.file);
    await replaceFile(folder.at(temporary), target, stats);
    published = true;
    return success(undefined);
  } finally {
    if (!published) rmSync(folder.at(temporary), { force: true });
    await entry.data.done();
  }
}

function statOf(target: string): Stats | undefined {
  return lstatSync(target, { throwIfNoEntry: false });
}

function findConflict({ file, stamp }: AtomicWrite, stats: Stats | undefined): string | undefined {
  if (stats === undefined) {
    return stamp === undefined ? undefined : `${file} was deleted meanwhile. Read it again.`;
  }
  if (stats.isDirectory()) return `${file} is a folder.`;
  if (!stats.isFile()) return `${file} is not a regular file.`;
  if (stamp === undefined) return `${file} was created meanwhile. Read it first.`;
  return stampOf(stats) === stamp ? undefined : `${file} was changed meanwhile. Read it again.`;
}

/** The calls on names and modes are synchronous: each takes microseconds, a thread more than that. */
async function writeTemporary(
  temporary: string,
  stats: Stats | undefined,
  parts: readonly Buffer[],
) {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, stats === undefined ? 0o666 : 0o600);
  try {
    await writeAll(fd, parts);
    if (stats !== undefined) keepOwnerAndMode(fd, stats);
  } finally {
    closeSync(fd);
  }
}

/** Owner first: changing it clears the bits that the mode sets. Only root may give files away. */
function keepOwnerAndMode(fd: number, { uid, gid, mode }: Stats): void {
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) {
    try {
      fchownSync(fd, uid, gid);
    } catch (fault) {
      if (codeOf(fault) !== 'EPERM') throw fault;
    }
  }
  fchmodSync(fd, mode & 0o7777);
}

/** Up to here a file is written at once; a larger one must not hold up the other sessions. */
const AT_ONCE_BYTES = 256 * KB;

const writeLater = promisify(writev);

async function writeAll(fd: number, parts: readonly Buffer[]): Promise<void> {
  let left = parts.filter((part) => part.length > 0);
  const large = left.reduce((sum, { length }) => sum + length, 0) > AT_ONCE_BYTES;
  while (left.length > 0) {
    let done = large ? (await writeLater(fd, left)).bytesWritten : writevSync(fd, left);
    // A full disk or a signal may cut a write short.
    left = left.flatMap((part) => {
      const length = Math.min(done, part.length);
      done -= length;
      return length < part.length ? [part.subarray(length)] : [];
    });
  }
}

/**
 * The old file is held while the new one takes its name, and let go after the answer: freeing a large
 * file takes as long as writing it. Where an open file cannot be replaced, it is not held.
 */
async function replaceFile(temporary: string, target: string, { size }: Stats): Promise<void> {
  if (size <= AT_ONCE_BYTES) return renameSync(temporary, target);
  const old = process.platform === 'win32' ? undefined : openQuietly(target);
  try {
    await rename(temporary, target);
  } finally {
    // Nothing was written through it, so closing it cannot fail in a way that matters.
    if (old !== undefined) close(old, () => undefined);
  }
}

function openQuietly(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // A file that may be written and not read is replaced without being held.
    return undefined;
  }
}

/** A name that appeared meanwhile is never overwritten: `link` fails where `rename` would not. */
async function publishNew(temporary: string, target: string, file: string): Promise<Outcome<void>> {
  try {
    await link(temporary, target);
    return success(undefined);
  } catch (fault) {
    if (codeOf(fault) === 'EEXIST') return failure(`${file} was created meanwhile. Read it first.`);
    // File systems without hard links: the check just before is the best there is.
    await rename(temporary, target);
    return success(undefined);
  }
}

async function writeInPlace(
  target: string,
  stats: Stats,
  work: AtomicWrite,
): Promise<Outcome<void>> {
  const { file, parts, before, journal, stamp } = work;
  if (before === undefined || stamp === undefined || !(await work.mayWriteAllNames(stats))) {
    return failure(
      `${file} has other names (hard links) that may lie outside the workspace or may not be written, and writing would change them too. Copy the file to break the links, or ask the user.`,
    );
  }
  return overwrite({ file, target, content: Buffer.concat(parts), before, stamp, journal });
}
