import { randomUUID } from 'node:crypto';
import {
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
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
import { isReadOnly } from '../../base/disk/readOnly.ts';
import { getCode } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import type { Journal } from './journal.ts';
import { describeFault, describeSpecial, type OpenFolder, openFolder } from './open.ts';
import { overwrite } from './overwrite.ts';
import { toStamp } from './stamp.ts';

export interface AtomicWrite {
  /** Absolute, with links resolved. */
  readonly file: string;
  readonly parts: readonly Buffer[];
  /** `toStamp` of the file that was read; undefined when the file must not exist. */
  readonly stamp: string | undefined;
  /** The current content, copied to the journal before a file is written in place. */
  readonly before: Buffer | undefined;
  readonly journal: Journal;
  /** Whether every name of a file with several names may be written. */
  mayWriteAllNames(stats: Stats): Promise<boolean>;
}

/**
 * Writes the whole file or nothing. Normally a new file replaces the old one and keeps its mode and
 * owner. The file is written in place, after a journal copy, when replacing it would lose
 * something: it has several names, belongs to another user, or its folder accepts no new files.
 */
export async function writeAtomically(work: AtomicWrite): Promise<Outcome<void>> {
  const parent = path.dirname(work.file);
  const made = work.stamp === undefined ? missingFolders(parent) : [];
  if (made.length === 0) return openAndWrite(parent, work);
  const entry = work.journal.noteFolders(work.file, made);
  if (!entry.ok) return entry;
  const written = await openAndWrite(parent, work);
  if (!written.ok) removeEmpty(made);
  await entry.data.done();
  return written;
}

async function openAndWrite(parent: string, work: AtomicWrite): Promise<Outcome<void>> {
  const folder = openFolder(parent, work.stamp === undefined);
  return folder.ok ? writeInto(folder.data, work) : folder;
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

/** The missing parent folders, innermost first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))];
}

/** Removes the folders made for a file that could not be created. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Was never created, or now contains someone else's files: keep it.
      return;
    }
  }
}

async function writeIn(folder: OpenFolder, work: AtomicWrite): Promise<Outcome<void>> {
  const name = path.basename(work.file);
  const target = folder.at(name);
  const stats = tryStat(target);
  const fault = findConflict(work, stats);
  if (fault !== undefined) return failure(fault);
  if (stats !== undefined && stats.nlink > 1) return writeAllNames(target, stats, work);

  const temporary = `.${name.slice(0, 60)}.${randomUUID()}.tmp`;
  const entry = work.journal.noteTemporary(path.join(folder.path, temporary));
  if (!entry.ok) return entry;
  let published = false;
  try {
    const stays = !(await writeTemporary(folder.at(temporary), stats, work.parts));
    if (stays) return await writeInPlace(target, work);
    // Writing may take a while, so check again for changes by others.
    const meanwhile = findConflict(work, tryStat(target));
    if (meanwhile !== undefined) return failure(meanwhile);
    if (stats === undefined) return await publishNew(folder.at(temporary), target, work.file);
    published = await replaceFile(folder.at(temporary), target, stats);
    return published ? success(undefined) : await writeInPlace(target, work);
  } finally {
    if (!published) rmSync(folder.at(temporary), { force: true });
    await entry.data.done();
  }
}

function tryStat(target: string): Stats | undefined {
  return lstatSync(target, { throwIfNoEntry: false });
}

/** Why the file is not the one that was read, or may not be replaced. Undefined: no conflict. */
export function findConflict(
  { file, stamp }: Pick<AtomicWrite, 'file' | 'stamp'>,
  stats: Stats | undefined,
): string | undefined {
  if (stats === undefined) {
    return stamp === undefined
      ? undefined
      : `${file} was deleted after it was read. Read it again.`;
  }
  if (stats.isDirectory()) return `${file} is a folder.`;
  if (!stats.isFile()) return describeSpecial(file);
  if (stamp === undefined) return `${file} was created in the meantime. Read it first.`;
  if (isReadOnly(stats)) {
    return `${file} is read-only, so nothing was changed. Ask the user, or make it writable with bash.`;
  }
  return toStamp(stats) === stamp
    ? undefined
    : `${file} was changed after it was read. Read it again.`;
}

/**
 * Returns false, without writing, when the file can only be written in place. Calls on names and
 * modes are synchronous: each takes microseconds, less than a round trip through the thread pool.
 */
async function writeTemporary(
  temporary: string,
  stats: Stats | undefined,
  parts: readonly Buffer[],
): Promise<boolean> {
  const fd = openTemporary(temporary, stats);
  if (fd === undefined) return false;
  try {
    if (stats !== undefined && !keepOwner(fd, stats)) return false;
    await writeAll(fd, parts);
    // Set after the owner, because changing the owner clears mode bits.
    if (stats !== undefined) fchmodSync(fd, stats.mode & 0o7777);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Undefined when the file exists but its folder accepts no new files. */
function openTemporary(temporary: string, stats: Stats | undefined): number | undefined {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    return openSync(temporary, flags, stats === undefined ? 0o666 : 0o600);
  } catch (fault) {
    const closed = ['EACCES', 'EPERM', 'EROFS'].includes(getCode(fault) ?? '');
    if (stats === undefined || !closed) throw fault;
    return undefined;
  }
}

/** Gives the new file the owner of the old one; false when that needs root. */
function keepOwner(fd: number, { uid, gid }: Stats): boolean {
  const made = fstatSync(fd);
  if (made.uid === uid && made.gid === gid) return true;
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch (fault) {
    // EINVAL: the owner does not exist in this container.
    if (getCode(fault) !== 'EPERM' && getCode(fault) !== 'EINVAL') throw fault;
    return false;
  }
}

/** Larger files are written asynchronously, so that they don't block other sessions. */
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
 * Keeps a large old file open during the rename and closes it later without waiting, because
 * freeing it takes as long as writing it. (Windows cannot replace an open file.) Returns false for
 * a file that is a mount point, as in containers: it cannot be renamed over.
 */
async function replaceFile(temporary: string, target: string, { size }: Stats): Promise<boolean> {
  const large = size > AT_ONCE_BYTES;
  const old = large && process.platform !== 'win32' ? openQuietly(target) : undefined;
  try {
    if (large) await rename(temporary, target);
    else renameSync(temporary, target);
    return true;
  } catch (fault) {
    if (getCode(fault) !== 'EBUSY') throw fault;
    return false;
  } finally {
    // Nothing was written through it, so an error from closing it doesn't matter.
    if (old !== undefined) close(old, () => undefined);
  }
}

function openQuietly(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // The file may not be readable; then it is replaced without being held open.
    return undefined;
  }
}

/**
 * Never overwrites a file created in the meantime: `link` fails where `rename` would replace it.
 */
async function publishNew(temporary: string, target: string, file: string): Promise<Outcome<void>> {
  try {
    await link(temporary, target);
    return success(undefined);
  } catch (fault) {
    if (getCode(fault) === 'EEXIST')
      return failure(`${file} was created in the meantime. Read it first.`);
    // No hard links on this file system: the check just before is all we have.
    await rename(temporary, target);
    return success(undefined);
  }
}

async function writeAllNames(
  target: string,
  stats: Stats,
  work: AtomicWrite,
): Promise<Outcome<void>> {
  if (work.before !== undefined && (await work.mayWriteAllNames(stats))) {
    return writeInPlace(target, work);
  }
  return failure(
    `${work.file} has other names (hard links), which writing would change too, and some may be outside the workspace or write-protected. Copy the file to break the links, or ask the user.`,
  );
}

async function writeInPlace(target: string, work: AtomicWrite): Promise<Outcome<void>> {
  const { file, parts, before, journal, stamp } = work;
  if (before === undefined || stamp === undefined) return failure(`${file} was not read first.`);
  return overwrite({ file, target, content: Buffer.concat(parts), before, stamp, journal });
}
