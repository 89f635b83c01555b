import { renameSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { MB } from '../../base/units.ts';
import { withFileLock } from '../../recorder/file/fileLock.ts';

export interface LogWriterOptions {
  readonly folder: string;
  /** The size in bytes at which a log is renamed; the one before it is dropped. Default: 2 MB. */
  readonly fullAt?: number;
  /** The logs that are kept; those not written for longest are dropped. Default: 300. */
  readonly most?: number;
}

/** How far lines were appended. */
export interface Appended {
  /** How many of the lines are completely in the file. */
  readonly lines: number;
  /** Why the others aren't. */
  readonly fault?: unknown;
}

/** Appends lines to the logs in a folder, to which other hosts append too. */
export interface LogWriter {
  /** Creates the folders, and the first time drops old files. Rejects if that fails. */
  prepare(): Promise<void>;
  /** Appends lines, each with its line break. A log that is full is renamed first. Never rejects. */
  append(file: string, lines: readonly string[]): Promise<Appended>;
}

/** Lists of rules that are kept, besides those that were used last. */
const MOST_LISTS = 1_000;

/** How long another host may take to rename a log, in milliseconds. */
const LOCK_WAIT = 500;

export function createLogWriter({ folder, fullAt = 2 * MB, most = 300 }: LogWriterOptions) {
  const rules = path.join(folder, 'rules');
  let prepared = false;
  const writer: LogWriter = {
    async prepare() {
      await mkdir(rules, { recursive: true, mode: 0o700 });
      if (prepared) return;
      prepared = true;
      await removeOldest(folder, 2 * most);
      await removeOldest(rules, MOST_LISTS);
    },
    async append(file, lines) {
      try {
        const size = await getSize(file);
        if (size >= fullAt) moveFull(folder, file, fullAt);
        return await appendLines(file, lines);
      } catch (fault) {
        return { lines: 0, fault };
      }
    },
  };
  return writer;
}

/** Two hosts that find a log full must not both rename it: the second would drop the first one's. */
function moveFull(folder: string, file: string, fullAt: number): void {
  withFileLock(
    path.join(folder, 'full.lock'),
    () => {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size >= fullAt) renameSync(file, `${file}.1`);
    },
    LOCK_WAIT,
  );
}

async function appendLines(file: string, lines: readonly string[]): Promise<Appended> {
  const handle = await open(file, 'a+', 0o600);
  try {
    // A line that a killed host didn't finish must not spoil the next one.
    const cut = (await endsLine(handle)) ? '' : '\n';
    const { bytes, fault } = await writeBytes(handle, Buffer.from(cut + lines.join('')));
    if (fault === undefined) return { lines: lines.length };
    return { lines: countLines(lines, bytes - cut.length), fault };
  } finally {
    await handle.close();
  }
}

/** A full disk takes a part of what is written. */
async function writeBytes(
  handle: FileHandle,
  all: Buffer,
): Promise<{ readonly bytes: number; readonly fault?: unknown }> {
  let bytes = 0;
  try {
    while (bytes < all.length) bytes += (await handle.write(all, bytes)).bytesWritten;
    return { bytes };
  } catch (fault) {
    return { bytes, fault };
  }
}

/** How many of the lines are complete in their first `bytes` bytes. */
function countLines(lines: readonly string[], bytes: number): number {
  let left = bytes;
  const cut = lines.findIndex((line) => {
    left -= Buffer.byteLength(line);
    return left < 0;
  });
  return cut < 0 ? lines.length : cut;
}

async function endsLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 10;
}

async function getSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a file`);
  return found?.size ?? 0;
}

async function removeOldest(folder: string, most: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.json/.test(name));
  if (names.length <= most) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const time = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
      return { file, time };
    }),
  );
  const old = files.sort((a, b) => b.time - a.time).slice(most);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}
