import {
  closeSync,
  constants,
  fstatSync,
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
import type { Gate } from '../runtime.ts';

/** An opened file, and the place it really lies at. */
export interface Opened {
  /** The descriptor; whoever opened the file closes it. */
  readonly fd: number;
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Opens `real` for reading, then asks the gate about the file that was opened: nobody can swap a
 * link between the check and the open (corpus C7, PA-028). The caller closes the descriptor. The calls are
 * synchronous: each takes microseconds, a turn through the thread pool a hundred times that.
 */
export async function openForReading(
  real: string,
  gate: Gate,
  capability: 'fs.read' | 'fs.write' = 'fs.read',
): Promise<Outcome<Opened>> {
  const authorized = await gate.authorize({ capability, target: real });
  if (!authorized.ok) return authorized;
  // Without O_NONBLOCK the open of a pipe waits for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0);
  let fd: number | undefined;
  try {
    fd = openSync(real, flags);
    const stats = fstatSync(fd);
    const actual = getRealPath(fd, real, stats);
    if (actual !== real) {
      closeSync(fd);
      return failure(`${real} was moved while it was opened. Read it again.`);
    }
    if (stats.nlink < 2 || !stats.isFile()) return success({ fd, path: real, stats });
    // A hard link may have taken the place of the file that was judged.
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

/** A folder held open, so that what is named below it cannot be led elsewhere. */
export interface OpenFolder {
  /** The folder's real path. */
  readonly path: string;
  /** The path by which `name` in this very folder is reached. */
  at(name: string): string;
  close(): void;
}

/** Opens the folder `real`, which must not lead through a link; with `create` missing parts are made. */
export function openFolder(real: string, create: boolean): Outcome<OpenFolder> {
  if (process.platform !== 'linux') return openFolderByName(real, create);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let fd: number | undefined;
  try {
    fd = openSync(real, flags);
    const actual = readlinkSync(`/proc/self/fd/${fd}`);
    if (actual === real) return success(toFolder(real, fd));
    closeSync(fd);
    return failure(`${real} was moved while it was opened. Try again.`);
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
 * Where folders cannot be held open: the name is checked after it was used. A swapped folder does
 * not hold the temporary file, so the rename out of it fails.
 */
function openFolderByName(real: string, create: boolean): Outcome<OpenFolder> {
  try {
    if (create) mkdirSync(real, { recursive: true });
    const actual = toSlashes(realpathSync.native(real));
    if (actual.toLowerCase() !== real.toLowerCase()) {
      return failure(`${real} was moved while it was opened. Try again.`);
    }
    return success({ path: real, at: (name) => path.join(real, name), close: () => undefined });
  } catch (fault) {
    return failure(describeFault(fault, real));
  }
}

/** Where the opened file lies now. Linux says it; elsewhere the name must lead to the same file. */
function getRealPath(fd: number, real: string, stats: Stats): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`);
  const actual = realpathSync.native(real);
  const named = statSync(actual);
  const same = named.ino === stats.ino && named.dev === stats.dev;
  return same && toSlashes(actual).toLowerCase() === real.toLowerCase() ? real : '';
}

function toSlashes(text: string): string {
  return process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

/** What happened to a path, for the model, with what to do next. */
export function describeFault(fault: unknown, file: string): string {
  switch (getCode(fault)) {
    case 'ENOENT':
      return `${file} does not exist. Use glob to find the right path.`;
    case 'ENOTDIR':
      return `${file} does not exist: a part of the path is a file.`;
    case 'ELOOP':
      return `${file} leads in circles or was replaced by a link.`;
    case 'EACCES':
    case 'EPERM':
      return `${file}: the system denies access. Ask the user for it.`;
    case 'ENAMETOOLONG':
      return `${file.slice(0, 80)}…: the path is too long.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${file}: the disk is full. Free some space there, or ask the user to.`;
    case 'EFBIG':
      return `${file}: that is larger than the system lets Gatehouse write.`;
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

/** What is neither a file nor a folder: opening it may wait for ever, or do something. */
export function describeSpecial(file: string): string {
  return `${file} is a pipe, a socket or a device, not a regular file. It is left alone.`;
}
