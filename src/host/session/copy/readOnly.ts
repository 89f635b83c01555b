import { lstatSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { isReadOnly } from '../../../base/disk/readOnly.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { EntryChange } from '../../../runtime/entries.ts';
import { toEntryState } from '../../../runtime/local/entries.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';
import { isFileOfBytes, type OtherChange } from './otherChanges.ts';

/**
 * Why a change can't be written, as a sentence: the command wrote what was read-only, and left or made it so again, or
 * removed it. Undefined: it can be, maybe once the changes of modes that open something are made. `changes`: all that are
 * written together.
 */
export function findReadOnly(
  change: CopyChange,
  changes: readonly CopyChange[],
): string | undefined {
  const { type, file, path: name, was } = change;
  const isWritten = isFileOfBytes(change) && was === 'file' && !opens(change);
  if (isWritten && isClosed(file.toString('utf8'))) {
    return `It ${toVerb(change)} the read-only file ${toCodeSpan(name)}.`;
  }
  const replaces = type === 'added' || type === 'deleted' || change.kind === 'link';
  const folder = replaces ? findFolder(path.dirname(file.toString('utf8'))) : undefined;
  if (folder === undefined || !isClosed(folder)) return undefined;
  const isOpened = changes.some((each) => each.file.toString('utf8') === folder && opens(each));
  if (isOpened) return undefined;
  return `It ${toVerb(change)} ${toCodeSpan(name)} in a read-only folder.`;
}

/** The changes of modes that were made first. */
export interface OpenedFirst {
  readonly made: ReadonlySet<OtherChange>;
  /** Why one of them could not be made. Then none is. */
  readonly error?: string;
  /** Undoes those that are not about one of these files. */
  close(done: ReadonlySet<string>): Promise<void>;
}

type Change = (entry: EntryChange) => Promise<Outcome<unknown>>;

/** Makes the changes of modes without which the others can't be written, the outer folders first. */
export async function openFirst(
  wanted: readonly OtherChange[],
  change: Change,
): Promise<OpenedFirst> {
  const made = new Set<OtherChange>();
  const close = async (done: ReadonlySet<string>) => {
    for (const other of [...made].reverse()) {
      if (!done.has(other.entry.path)) await undo(other, change);
    }
  };
  for (const other of wanted.filter(isOpening)) {
    const changed = await change(other.entry);
    if (changed.ok) made.add(other);
    else {
      await close(new Set());
      return { made: new Set(), error: changed.error, close };
    }
  }
  return { made, close };
}

async function undo({ entry }: OtherChange, change: Change): Promise<void> {
  const { path: file, after, wasMode } = entry;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (after.type !== 'mode' || wasMode === undefined || stats === undefined) return;
  const before = toEntryState(stats);
  await change({ path: file, before, wasMode: after.mode, after: { type: 'mode', mode: wasMode } });
}

/** Of a folder, or of a file that gets another text too. */
function isOpening({ entry: { before, after, wasMode }, withText }: OtherChange): boolean {
  if (after.type !== 'mode' || wasMode === undefined) return false;
  if (before !== 'folder' && !withText) return false;
  return (wasMode & OWNER_WRITES) === 0 && (after.mode & OWNER_WRITES) !== 0;
}

const OWNER_WRITES = 0o200;

function opens({ type, mode = 0 }: CopyChange): boolean {
  return (type === 'changed' || type === 'mode') && (mode & OWNER_WRITES) !== 0;
}

function toVerb({ type }: CopyChange): string {
  if (type === 'added') return 'creates';
  return type === 'deleted' ? 'deletes' : 'changes';
}

function isClosed(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && isReadOnly(stats);
}

/** The next folder above that exists. */
function findFolder(folder: string): string {
  const exists = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  const above = path.dirname(folder);
  return exists || above === folder ? folder : findFolder(above);
}
