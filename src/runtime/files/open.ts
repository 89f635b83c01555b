import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { getCode, getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { Gate } from '../runtime.ts';

/** An open file and its real path. */
export interface Opened {
  /** The file descriptor; the caller closes it. */
  readonly fd: number;
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Opens `real` for reading, then authorizes the file that was opened, so that swapping a link
 * between check and open gains nothing (corpus C7, corpus PA-028). The caller closes the
 * descriptor. Synchronous: each call takes microseconds, a round trip through the thread pool a
 * hundred times that.
 */
export async function openForReading(
  real: string,
  gate: Gate,
  capability: 'fs.read' | 'fs.write' = 'fs.read',
): Promise<Outcome<Opened>> {
  const authorized = await gate.authorize({ capability, target: real });
  if (!authorized.ok) return authorized;
  // Without O_NONBLOCK, opening a pipe blocks until it has a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0);
  let fd: number | undefined;
  try {
    fd = openSync(real, flags);
    const stats = fstatSync(fd);
    const actual = getRealPath(fd, real, stats);
    if (actual !== real) {
      closeSync(fd);
      return failure(`${real} was moved while it was being opened. Read it again.`);
    }
    if (stats.nlink < 2 || !stats.isFile()) return success({ fd, path: real, stats });
    // A hard link may have replaced the file that was authorized.
    const { dev, ino } = stats;
    const again = await gate.authorize({ capability, target: real, inode: { dev, ino } });
    if (again.ok) return success({ fd, path: real, stats });
    closeSync(fd);
    return again;
  } catch (fault) {
    if (fd !== undefined) closeSync(fd);
    return failure(describeFault(fault, real));
  }
}

/** A folder held open, so that names below it can't be redirected by swapping a link. */
export interface OpenFolder {
  /** The folder's real path. */
  readonly path: string;
  /** A path that reaches `name` in exactly this folder. */
  at(name: string): string;
  close(): void;
}

/** Opens the folder `real`, which must not contain links. With `create`, makes missing folders. */
export function openFolder(real: string, create: boolean): Outcome<OpenFolder> {
  if (process.platform !== 'linux') return openFolderByName(real, create);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let fd: number | undefined;
  try {
    fd = openSync(real, flags);
    if (getRealPath(fd, real, fstatSync(fd)) === real) return success(toFolder(real, fd));
    closeSync(fd);
    return failure(`${real} was moved while it was being opened. Try again.`);
  } catch (fault) {
    if (fd !== undefined) closeSync(fd);
    if (!create || getCode(fault) !== 'ENOENT') return failure(describeFault(fault, real));
  }
  return makeFolder(real);
}

function makeFolder(real: string): Outcome<OpenFolder> {
  const parent = openFolder(path.dirname(real), true);
  if (!parent.ok) return parent;
  try {
    mkdirSync(parent.data.at(path.basename(real)));
  } catch (fault) {
    if (getCode(fault) !== 'EEXIST') return failure(describeFault(fault, real));
  } finally {
    parent.data.close();
  }
  return openFolder(real, false);
}

function toFolder(real: string, fd: number): OpenFolder {
  return { path: real, at: (name) => `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}

/**
 * For systems that can't hold a folder open: checks the name after opening. A swapped folder
 * doesn't contain the temporary file, so the rename fails.
 */
function openFolderByName(real: string, create: boolean): Outcome<OpenFolder> {
  try {
    if (create) mkdirSync(real, { recursive: true });
    const actual = toSlashes(realpathSync.native(real));
    if (actual.toLowerCase() !== real.toLowerCase()) {
      return failure(`${real} was moved while it was being opened. Try again.`);
    }
    return success({ path: real, at: (name) => path.join(real, name), close: () => undefined });
  } catch (fault) {
    return failure(describeFault(fault, real));
  }
}

/**
 * The open file's current path. Linux reports it; elsewhere the name must lead to the same file,
 * and the result is empty if it does not.
 */
function getRealPath(fd: number, real: string, stats: Stats): string {
  if (process.platform === 'linux') {
    const actual = readlinkSync(`/proc/self/fd/${fd}`);
    return actual === real || !isOtherSpelling(actual, real, stats) ? actual : real;
  }
  const actual = realpathSync.native(real);
  const named = statSync(actual);
  const same = named.ino === stats.ino && named.dev === stats.dev;
  return same && toSlashes(actual).toLowerCase() === real.toLowerCase() ? real : '';
}

/**
 * Whether both are the same file. In a folder that ignores case the system may report the spelling by which the file
 * was found first.
 */
function isOtherSpelling(actual: string, real: string, { dev, ino }: Stats): boolean {
  const resolved = resolvePath(actual, { cwd: undefined, platform: process.platform });
  if (!resolved.ok || resolved.folds !== true || resolved.path !== real) return false;
  const named = lstatSync(real, { throwIfNoEntry: false });
  return named?.ino === ino && named.dev === dev;
}

function toSlashes(text: string): string {
  return process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

/** Describes a file system error for the model, with what to do next. */
export function describeFault(fault: unknown, file: string): string {
  switch (getCode(fault)) {
    case 'ENOENT':
      return `${file} does not exist. Use glob to find the right path.`;
    case 'ENOTDIR':
      return `${file} does not exist: a parent of it is a file, not a folder.`;
    case 'ELOOP':
      return `${file} contains a cycle of symbolic links, or was replaced by a link.`;
    case 'EACCES':
    case 'EPERM':
      return `${file}: permission denied by the operating system. Ask the user for access.`;
    case 'ENAMETOOLONG':
      return `${file.slice(0, 80)}…: the path is too long.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${file}: the disk is full. Free some space there, or ask the user to.`;
    case 'EFBIG':
      return `${file}: the content exceeds the system's file size limit.`;
    case 'EROFS':
      return `${file}: the disk is read-only.`;
    case 'EISDIR':
      return `${file} is a folder. Use glob to list it.`;
    case 'ENXIO':
      return describeSpecial(file);
    default:
      return `${file}: ${getMessage(fault)}`;
  }
}

/** For anything but a regular file or folder: opening it may block or have side effects. */
export function describeSpecial(file: string): string {
  return `${file} is a pipe, a socket or a device, not a regular file. It was not opened.`;
}
