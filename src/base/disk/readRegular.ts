import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { getCode, getMessage } from '../faults.ts';
import { KB, MB } from '../units.ts';

/** A file that exists but can't be read is never treated as absent: it could hold a restriction. */
export type FileRead =
  | { readonly state: 'read'; readonly bytes: Buffer }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly why: string };

/** A file's text, decoded as UTF-8. */
export type TextRead =
  | { readonly state: 'read'; readonly text: string; readonly bytes: Buffer }
  | Exclude<FileRead, { readonly state: 'read' }>;

/** The hash of a file's content, in hex. */
export type FileHash =
  | { readonly state: 'read'; readonly hash: string }
  | Exclude<FileRead, { readonly state: 'read' }>;

/** The largest file that is read as a whole: a manifest, its neighbours, settings. Bytes. */
const WHOLE_FILE_BYTES = 4 * MB;

/** The largest program or module that is hashed. Bytes. */
const HASHED_BYTES = 512 * MB;

/** The most and the fewest bytes that are read at once. */
const BLOCK = MB;
const SMALL_BLOCK = 4 * KB;
/** The most bytes that are handed on at once where what is done with them takes time. */
const SLICE = 128 * KB;

/** Without O_NONBLOCK, opening a pipe blocks until it has a writer. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

const ABSENT = { state: 'absent' } as const;

/**
 * Reads a file that others may have written, up to `most` bytes. Only a regular file is opened, so
 * that no pipe, socket or device can block the host or fill its memory.
 */
export function readRegular(file: string, most: number = WHOLE_FILE_BYTES): FileRead {
  let handle: number | undefined;
  try {
    // Opening a device may have side effects, so the name is checked before it is opened.
    const named = findFault(statSync(file), most);
    if (named !== undefined) return unreadable(named);
    handle = openSync(file, FLAGS);
    const stats = fstatSync(handle);
    const opened = findFault(stats, most);
    return opened === undefined ? readUpTo(handle, most, stats.size) : unreadable(opened);
  } catch (fault) {
    return toUnread(fault);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Reads at most the first `most` bytes of a regular file. */
export function readHead(file: string, most: number): FileRead {
  let handle: number | undefined;
  try {
    const named = findFault(statSync(file), Number.POSITIVE_INFINITY);
    if (named !== undefined) return unreadable(named);
    handle = openSync(file, FLAGS);
    const opened = findFault(fstatSync(handle), Number.POSITIVE_INFINITY);
    if (opened !== undefined) return unreadable(opened);
    const block = Buffer.alloc(most);
    return { state: 'read', bytes: block.subarray(0, readSync(handle, block)) };
  } catch (fault) {
    return toUnread(fault);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Reads at most the first `most` bytes of a regular file, in blocks, between which the process does
 * other work. A block is only valid until `take` returns.
 */
export async function readHeadInBlocks(
  file: string,
  most: number,
  take: (block: Buffer) => void,
): Promise<{ readonly state: 'read' } | Exclude<FileRead, { readonly state: 'read' }>> {
  let handle: FileHandle | undefined;
  try {
    const named = findFault(await stat(file), Number.POSITIVE_INFINITY);
    if (named !== undefined) return unreadable(named);
    handle = await open(file, FLAGS);
    const opened = findFault(await handle.stat(), Number.POSITIVE_INFINITY);
    if (opened !== undefined) return unreadable(opened);
    const block = Buffer.alloc(Math.min(SLICE, most));
    for (let left = most; left > 0; ) {
      const { bytesRead } = await handle.read(block, 0, Math.min(block.length, left), null);
      if (bytesRead === 0) break;
      left -= bytesRead;
      take(block.subarray(0, bytesRead));
    }
    return { state: 'read' };
  } catch (fault) {
    return toUnread(fault);
  } finally {
    await handle?.close();
  }
}

/** Like `readRegular`, for text. Bytes that are not UTF-8 make the file unreadable. */
export function readRegularText(file: string, most: number = WHOLE_FILE_BYTES): TextRead {
  return toText(readRegular(file, most));
}

/** Decodes UTF-8 strictly: UTF-16 and Latin-1 are unreadable, not empty. A byte order mark is dropped. */
export function toText(read: FileRead): TextRead {
  if (read.state !== 'read') return read;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
    return { state: 'read', text, bytes: read.bytes };
  } catch {
    return unreadable('it is not UTF-8');
  }
}

/** The SHA-256 of a regular file, read in blocks. Rejects with the signal's reason when it aborts. */
export async function hashRegular(file: string, signal?: AbortSignal): Promise<FileHash> {
  let handle: FileHandle | undefined;
  try {
    const named = findFault(await stat(file), HASHED_BYTES);
    if (named !== undefined) return unreadable(named);
    handle = await open(file, FLAGS);
    const stats = await handle.stat();
    const opened = findFault(stats, HASHED_BYTES);
    return opened === undefined
      ? await hashHandle(handle, toBlock(stats.size), signal)
      : unreadable(opened);
  } catch (fault) {
    signal?.throwIfAborted();
    return toUnread(fault);
  } finally {
    await handle?.close();
  }
}

async function hashHandle(
  handle: FileHandle,
  size: number,
  signal: AbortSignal | undefined,
): Promise<FileHash> {
  const hash = createHash('sha256');
  const block = Buffer.alloc(size);
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(block, 0, size, null);
    if (bytesRead === 0) return { state: 'read', hash: hash.digest('hex') };
    total += bytesRead;
    // The file may grow while it is read.
    if (total > HASHED_BYTES) return unreadable(tooLong(HASHED_BYTES));
    hash.update(block.subarray(0, bytesRead));
  }
}

/** Most files are small, and thousands are read: a block is no larger than what is left, and notices the end. */
function toBlock(left: number): number {
  return Math.min(BLOCK, Math.max(SMALL_BLOCK, left + 1));
}

/** Reads until the end, since a file of `/proc` reports no size and others may grow meanwhile. */
function readUpTo(handle: number, most: number, size: number): FileRead {
  const blocks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const block = Buffer.alloc(Math.min(toBlock(size - total), most + 1 - total));
    const count = readSync(handle, block);
    if (count === 0) return { state: 'read', bytes: Buffer.concat(blocks) };
    total += count;
    if (total > most) return unreadable(tooLong(most));
    blocks.push(block.subarray(0, count));
  }
}

function findFault(stats: Stats, most: number): string | undefined {
  if (stats.isDirectory()) return 'it is a folder';
  if (!stats.isFile()) return 'it is a pipe, a socket or a device';
  return stats.size > most ? tooLong(most) : undefined;
}

function tooLong(most: number): string {
  return `it is longer than ${most} bytes`;
}

/** A missing file, or one whose parent is a file, is absent. */
function toUnread(fault: unknown): Exclude<FileRead, { readonly state: 'read' }> {
  const code = getCode(fault);
  return code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : unreadable(getMessage(fault));
}

function unreadable(why: string): { readonly state: 'unreadable'; readonly why: string } {
  return { state: 'unreadable', why };
}
