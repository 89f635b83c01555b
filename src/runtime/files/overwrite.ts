import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fill, writeAt } from '../../base/disk/writeAll.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { describeFault } from './open.ts';
import { toStamp } from './stamp.ts';

export interface Overwrite {
  /** The path that messages use. */
  readonly file: string;
  /** The path to open. */
  readonly target: string;
  readonly content: Buffer;
  /** The current content. */
  readonly before: Buffer;
  /** `toStamp` of the file when `before` was read. */
  readonly stamp: string;
  readonly journal: Journal;
}

/**
 * Writes a file in place after copying it to the journal: ends with the new content or the old one.
 */
export async function overwrite(work: Overwrite): Promise<Outcome<void>> {
  const copy = await work.journal.keepCopy(work.file, work.before, work.content);
  if (!copy.ok) return copy;
  const ended = await tryIt(work);
  // A copy of an intact file must be removed: recovery would undo later edits of the user.
  if (ended !== 'torn') await copy.data.done();
  return ended === 'torn' ? failure(describeTorn(work.file, copy.data)) : ended;
}

async function tryIt({ file, target, content, before, stamp }: Overwrite) {
  let handle: FileHandle | undefined;
  try {
    handle = await open(target, constants.O_WRONLY | constants.O_NOFOLLOW);
    if (toStamp(await handle.stat()) !== stamp) {
      return failure<void>(`${file} was changed after it was read. Read it again.`);
    }
    return await writeOrPutBack(handle, content, before, file);
  } catch (fault) {
    return failure<void>(`${describeFault(fault, file)} Nothing was changed.`);
  } finally {
    await handle?.close();
  }
}

async function writeOrPutBack(
  handle: FileHandle,
  content: Buffer,
  before: Buffer,
  file: string,
): Promise<Outcome<void> | 'torn'> {
  try {
    // Writes the part that grows the file first: a full disk shows here, while the old content is
    // intact.
    await writeAt(handle, content.subarray(before.length), before.length);
    await writeAt(handle, content.subarray(0, before.length), 0);
    await handle.truncate(content.length);
    await handle.sync();
    return success(undefined);
  } catch (fault) {
    const putBack = await fill(handle, before).then(
      () => true,
      () => false,
    );
    return putBack ? failure(`${describeFault(fault, file)} Its old content was kept.`) : 'torn';
  }
}

function describeTorn(file: string, { copy }: JournalEntry): string {
  const kept =
    copy === undefined
      ? ''
      : ` The old content is in ${copy}; Gatehouse restores it when it next starts.`;
  return `${file} was only partly written, and restoring it failed too.${kept} Do not touch the file, and tell the user.`;
}
