import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fill } from '../../base/disk/writeAll.ts';
import { getCode } from '../../base/faults.ts';

/** A file that was not restored, because it was changed after its write was interrupted. */
export interface LeftFile {
  readonly file: string;
  /** Where its content before the write is now. */
  readonly copy: string;
}

/**
 * Restores in place, so that all names (hard links) of the file see it. Only if the interrupted write
 * explains every byte: else somebody wrote the file since, and would lose that.
 */
export async function restore(
  { file, copy, after }: { readonly file: string; readonly copy: string; readonly after?: string },
  kept: string,
): Promise<'done' | LeftFile> {
  const before = await readFile(copy);
  const wanted = after === undefined ? undefined : await readFile(after).catch(() => undefined);
  const handle = await openRegular(file);
  try {
    const now = await handle?.readFile();
    if (handle === undefined || now === undefined || !explains(now, before, wanted)) {
      return { file, copy: await moveAside(file, copy, kept) };
    }
    // The write was complete, only the entry was left.
    if (wanted === undefined || !now.equals(wanted)) await fill(handle, before);
  } finally {
    await handle?.close();
  }
  await rm(copy, { force: true });
  return 'done';
}

/** Undefined if the file is no regular one any more, or its path leads nowhere. */
async function openRegular(file: string): Promise<FileHandle | undefined> {
  try {
    // A pipe without a reader would be waited for.
    const handle = await open(file, constants.O_RDWR | (constants.O_NONBLOCK ?? 0));
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (fault) {
    if (NO_FILE.has(getCode(fault) ?? '')) return undefined;
    throw fault;
  }
}

const NO_FILE = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ENXIO',
  'ENODEV',
  'ELOOP',
  'ENAMETOOLONG',
]);

/** Whether a write that replaces `before` by `after` can leave `now` when it is interrupted. */
function explains(now: Buffer, before: Buffer, after: Buffer | undefined): boolean {
  if (after === undefined) return now.equals(before);
  if (now.length < Math.min(before.length, after.length)) return false;
  // Past its end, a buffer has `undefined`, which no byte equals.
  return now.every((byte, at) => byte === after[at] || byte === before[at]);
}

/** Keeps the copy where no recovery removes it. */
async function moveAside(file: string, copy: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = path.join(folder, `${randomUUID()}-${path.basename(file).slice(-100)}`);
  await rename(copy, aside);
  return aside;
}
