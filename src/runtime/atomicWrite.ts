import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, chown, type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { Journal } from './journal.ts';
import { codeOf, describeFault, type OpenFolder, openFolder } from './open.ts';

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
  const folder = await openFolder(path.dirname(work.file), work.stamp === undefined);
  if (!folder.ok) return folder;
  try {
    return await writeIn(folder.data, work);
  } catch (fault) {
    return failure(describeFault(fault, work.file));
  } finally {
    await folder.data.close();
  }
}

/** Changes whenever the file is written, replaced or truncated. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}

async function writeIn(folder: OpenFolder, work: AtomicWrite): Promise<Outcome<void>> {
  const name = path.basename(work.file);
  const target = folder.at(name);
  const stats = await lstat(target).catch((fault: unknown) => {
    if (codeOf(fault) === 'ENOENT') return undefined;
    throw fault;
  });
  const fault = findConflict(work, stats);
  if (fault !== undefined) return failure(fault);
  if (stats !== undefined && stats.nlink > 1) return writeInPlace(target, stats, work);

  const temporary = `.${name.slice(0, 100)}.${randomUUID()}.tmp`;
  const entry = await work.journal.noteTemporary(path.join(folder.path, temporary));
  let published = false;
  try {
    await writeTemporary(folder.at(temporary), stats, work.parts);
    if (stats === undefined) return await publishNew(folder.at(temporary), target, work.file);
    await rename(folder.at(temporary), target);
    published = true;
    return success(undefined);
  } finally {
    if (!published) await rm(folder.at(temporary), { force: true });
    await entry.done();
  }
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

async function writeTemporary(
  temporary: string,
  stats: Stats | undefined,
  parts: readonly Buffer[],
) {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, stats === undefined ? 0o666 : 0o600);
  try {
    await writeAll(handle, parts);
  } finally {
    await handle.close();
  }
  if (stats === undefined) return;
  // Owner first: changing it clears the bits that chmod sets. Only root may give files away.
  if (stats.uid !== process.getuid?.() || stats.gid !== process.getgid?.()) {
    await chown(temporary, stats.uid, stats.gid).catch(() => undefined);
  }
  await chmod(temporary, stats.mode & 0o7777);
}

async function writeAll(handle: FileHandle, parts: readonly Buffer[]) {
  let left = parts.filter((part) => part.length > 0);
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left);
    // A full disk or a signal may cut a write short.
    left = left.flatMap((part) => {
      const done = Math.min(bytesWritten, part.length);
      bytesWritten -= done;
      return done < part.length ? [part.subarray(done)] : [];
    });
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

async function writeInPlace(target: string, stats: Stats, work: AtomicWrite) {
  const { file, parts, before, journal } = work;
  if (before === undefined || !(await work.mayWriteAllNames(stats))) {
    return failure<void>(
      `${file} has other names (hard links) that may lie outside the workspace, and writing would change them too. Copy the file to break the links, or ask the user.`,
    );
  }
  const entry = await journal.keepCopy(file, before);
  const handle = await open(target, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    const opened = await handle.stat();
    if (opened.ino !== stats.ino || opened.dev !== stats.dev) {
      return failure<void>(`${file} was changed meanwhile. Read it again.`);
    }
    await handle.truncate(0);
    await writeAll(handle, parts);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await entry.done();
  return success(undefined);
}
