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
import { getCode } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import type { Journal } from './journal.ts';
import { describeFault, describeSpecial, type OpenFolder, openFolder } from './open.ts';
import { overwrite } from './overwrite.ts';
import { toStamp } from './stamp.ts';

export interface AtomicWrite {
  /** Absolute and real. */
  readonly file: string;
  readonly parts: readonly Buffer[];
  /** `toStamp` of the file that was read; undefined: the file must not exist. */
  readonly stamp: string | undefined;
  /** What is there now, kept while a file with several names is written in place. */
  readonly before: Buffer | undefined;
  readonly journal: Journal;
  /** Whether every name of a file with several names may be written. */
  mayWriteAllNames(stats: Stats): Promise<boolean>;
}

/**
 * Writes the whole file or nothing. One name: a new file takes its place, with its mode and owner.
 * In place after a journal copy where that would change what the file is: it has several names, it is
 * somebody else's, or its folder takes no new file.
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
  const stats = tryStat(target);
  const fault = findConflict(work, stats);
  if (fault !== undefined) return failure(fault);
  if (stats !== undefined && stats.nlink > 1) return writeAllNames(target, stats, work);

  const temporary = `.${name.slice(0, 100)}.${randomUUID()}.tmp`;
  const entry = work.journal.noteTemporary(path.join(folder.path, temporary));
  if (!entry.ok) return entry;
  let published = false;
  try {
    const stays = !(await writeTemporary(folder.at(temporary), stats, work.parts));
    if (stays) return await writeInPlace(target, work);
    // Writing took a while. What changed meanwhile is somebody's work.
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

/** Why the file with these facts is not the one that was read, or may not be replaced. */
export function findConflict(
  { file, stamp }: Pick<AtomicWrite, 'file' | 'stamp'>,
  stats: Stats | undefined,
): string | undefined {
  if (stats === undefined) {
    return stamp === undefined ? undefined : `${file} was deleted meanwhile. Read it again.`;
  }
  if (stats.isDirectory()) return `${file} is a folder.`;
  if (!stats.isFile()) return describeSpecial(file);
  if (stamp === undefined) return `${file} was created meanwhile. Read it first.`;
  if (isReadOnly(stats)) {
    return `${file} is read-only, and nothing was changed. Ask the user, or make it writable with bash.`;
  }
  return toStamp(stats) === stamp ? undefined : `${file} was changed meanwhile. Read it again.`;
}

/** A new file could take the place of one that its owner protects; the mode is still meant. */
function isReadOnly({ mode, uid }: Stats): boolean {
  const me = process.geteuid?.();
  return (mode & 0o200) === 0 && me !== 0 && (me === undefined || me === uid);
}

/**
 * False, and nothing is written, when the file can only be written where it is. The calls on names and
 * modes are synchronous: each takes microseconds, a thread more than that.
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
    // The owner came first: changing it clears bits of the mode.
    if (stats !== undefined) fchmodSync(fd, stats.mode & 0o7777);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Undefined where a file is that may be written, in a folder that takes no new one. */
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

/** Whether the new file belongs to whom the old one does: only root may give files away. */
function keepOwner(fd: number, { uid, gid }: Stats): boolean {
  const made = fstatSync(fd);
  if (made.uid === uid && made.gid === gid) return true;
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch (fault) {
    // EINVAL: an owner from outside the container.
    if (getCode(fault) !== 'EPERM' && getCode(fault) !== 'EINVAL') throw fault;
    return false;
  }
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
 * file takes as long as writing it. Where an open file cannot be replaced, it is not held. False for a
 * file that is a mount of its own, as containers have them: its name cannot be given to another.
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
    if (getCode(fault) === 'EEXIST')
      return failure(`${file} was created meanwhile. Read it first.`);
    // File systems without hard links: the check just before is the best there is.
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
    `${work.file} has other names (hard links) that may lie outside the workspace or may not be written, and writing would change them too. Copy the file to break the links, or ask the user.`,
  );
}

async function writeInPlace(target: string, work: AtomicWrite): Promise<Outcome<void>> {
  const { file, parts, before, journal, stamp } = work;
  if (before === undefined || stamp === undefined) return failure(`${file} was not read before.`);
  return overwrite({ file, target, content: Buffer.concat(parts), before, stamp, journal });
}
