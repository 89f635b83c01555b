import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { Entries, EntryChange, EntryRecord } from '../entries.ts';
import { writeAtomically } from '../files/atomicWrite.ts';
import type { Journal } from '../files/journal.ts';
import { describeFault, type OpenFolder, openFolder } from '../files/open.ts';
import { toStamp } from '../files/stamp.ts';
import type { Gate } from '../runtime.ts';
import { readVersion, toHash, toUndoing } from './entryVersions.ts';

interface EntriesParts {
  readonly gate: Gate;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Keeps a change that is about to be made. The result drops it, if it was not made after all. */
  readonly note?: (change: EntryRecord) => () => void;
}

/** Changes entries of folders of this machine. Names are looked up in the opened folder, so a swapped link redirects none. */
export function createEntries(parts: EntriesParts): Entries {
  return { change: (change) => changeEntry(parts, change), toUndoing };
}

async function changeEntry(parts: EntriesParts, change: EntryChange): Promise<Outcome<void>> {
  const { gate, signal } = parts;
  const { path: file, after } = change;
  const parent = path.dirname(file);
  const real = resolvePath(parent, { cwd: parent, platform: process.platform });
  if (!real.ok) return failure(real.error);
  if (real.path !== parent) return failure(`${file} leads elsewhere by now. It was not changed.`);
  // A link was authorized as what it leads to.
  const target = gate.realPath(file) ?? file;
  const authorized = await gate.authorize({ capability: 'fs.write', target });
  if (!authorized.ok) return authorized;
  signal.throwIfAborted();
  const folder = openFolder(parent, after.type !== 'none' && after.type !== 'mode');
  if (!folder.ok) return folder;
  try {
    const entry = folder.data.at(path.basename(file));
    const found = checkEntry(change, entry);
    if (!found.ok) return found;
    return await makeNoted(parts, change, { folder: folder.data, entry, stats: found.data });
  } catch (fault) {
    return failure(describeFault(fault, file));
  } finally {
    folder.data.close();
  }
}

/** What is there, if it is what the change was made for. */
function checkEntry(change: EntryChange, entry: string): Outcome<Stats | undefined> {
  const stats = lstatSync(entry, { throwIfNoEntry: false });
  const conflict = findEntryConflict(change, stats);
  if (conflict !== undefined) return failure(conflict);
  // The mode belongs to all names of a file, and another one may lie where nothing may be written.
  if (change.after.type === 'mode' && stats?.isFile() && stats.nlink > 1) {
    return failure(`${change.path} has another name (hard link). Its mode was not changed.`);
  }
  return success(stats);
}

interface FoundEntry {
  readonly folder: OpenFolder;
  /** Reaches the entry in the opened folder. */
  readonly entry: string;
  readonly stats: Stats | undefined;
}

async function makeNoted(
  { journal, note }: EntriesParts,
  change: EntryChange,
  found: FoundEntry,
): Promise<Outcome<void>> {
  const drop = note?.(toRecord(change, found));
  let made = false;
  try {
    // Reading what is there, and keeping it, may take a while, so check again for changes by others.
    const now = checkEntry(change, found.entry);
    if (!now.ok) return now;
    const done = await make(journal, change, { ...found, stats: now.data });
    made = done.ok;
    return done;
  } finally {
    if (!made) drop?.();
  }
}

async function make(
  journal: Journal,
  change: EntryChange,
  { folder, entry, stats }: FoundEntry,
): Promise<Outcome<void>> {
  const { path: file, after } = change;
  if (after.type !== 'file') return success(makeEntry(folder, entry, stats, change));
  // A file is written where nothing is or a file is, so a link has to leave first.
  const aside = stats?.isSymbolicLink() ? toTemporary(folder, file) : undefined;
  if (aside !== undefined) renameSync(entry, aside);
  const write = async (found: Stats | undefined) => {
    const written = await writeAtomically({
      ...{ file, journal, parts: [after.content] },
      stamp: found && aside === undefined ? toStamp(found) : undefined,
      before: change.bytes,
      // Another name of the file may lie where nothing may be written.
      mayWriteAllNames: async () => false,
    });
    if (written.ok && after.mode !== undefined) setMode(entry, after.mode);
    return written;
  };
  const opens = stats && isReadOnly(stats) && ((after.mode ?? 0) & OWNER_WRITES) !== 0;
  const written = await (opens ? writeReadOnly(entry, stats, write) : write(stats));
  if (aside !== undefined && written.ok) unlinkSync(aside);
  if (aside !== undefined && !written.ok) renameSync(aside, entry);
  return written;
}

const OWNER_WRITES = 0o200;

function isReadOnly(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1 && (stats.mode & OWNER_WRITES) === 0;
}

/**
 * Makes a file writable, because the change does that too, and writes it. If that fails, the file has its mode again.
 */
async function writeReadOnly(
  entry: string,
  stats: Stats,
  write: (found: Stats) => Promise<Outcome<void>>,
): Promise<Outcome<void>> {
  const fd = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let written = false;
  try {
    if (toStamp(fstatSync(fd)) !== toStamp(stats)) return await write(stats);
    fchmodSync(fd, (stats.mode & 0o7777) | OWNER_WRITES);
    try {
      const done = await write(fstatSync(fd));
      written = done.ok;
      return done;
    } finally {
      if (!written) fchmodSync(fd, stats.mode & 0o7777);
    }
  } finally {
    closeSync(fd);
  }
}

function toTemporary(folder: OpenFolder, file: string): string {
  return folder.at(`.${path.basename(file).slice(0, 60)}.${randomUUID()}.tmp`);
}

/** The entry as it is and as it becomes. */
function toRecord({ path: file, after }: EntryChange, { entry, stats }: FoundEntry): EntryRecord {
  if (after.type === 'mode') {
    return { path: file, before: { type: 'mode', mode: (stats?.mode ?? 0) & 0o7777 }, after };
  }
  const before = readVersion(entry, stats);
  if (after.type !== 'file') return { path: file, before, after };
  const hash = toHash(after.content);
  const mode = after.mode ?? (before.type === 'file' ? before.mode : 0o644);
  return { path: file, before, after: { type: 'file', mode, hash } };
}

/** What is there, as `EntryChange.before` names it. */
export function toEntryState(stats: Stats | undefined): EntryChange['before'] {
  return stats?.isDirectory() ? 'folder' : stats && toStamp(stats);
}

/** Why the entry is not the one that the change was made for; undefined: it still is. */
export function findEntryConflict(
  { path: file, before, wasMode }: EntryChange,
  stats: Stats | undefined,
): string | undefined {
  const isSame = toEntryState(stats) === before || (before === 'file' && stats?.isFile());
  const mode = stats && stats.mode & 0o7777;
  if (isSame && (wasMode === undefined || mode === wasMode)) return undefined;
  return `${file} changed while you waited for approval. It was not written.`;
}

function makeEntry(
  folder: OpenFolder,
  target: string,
  stats: Stats | undefined,
  { path: file, after }: EntryChange,
): void {
  switch (after.type) {
    case 'none':
      if (stats?.isDirectory()) rmdirSync(target);
      else unlinkSync(target);
      return;
    case 'folder':
      mkdirSync(target);
      chmodSync(target, after.mode);
      return;
    case 'link': {
      const temporary = toTemporary(folder, file);
      symlinkSync(after.target, temporary);
      renameSync(temporary, target);
      return;
    }
    case 'mode':
      setMode(target, after.mode);
      return;
    case 'file':
      return;
  }
}

/** By a descriptor, because changing the mode by name follows a link that took the file's place. */
function setMode(target: string, mode: number): void {
  const fd = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
