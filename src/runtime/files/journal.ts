import { randomUUID } from 'node:crypto';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { removeOwnFolder } from '../../base/disk/ownFolder.ts';
import { processMark, readMark } from '../../base/disk/processMark.ts';
import { getCode } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { describeFault } from './open.ts';
import { type LeftFile, restore } from './restore.ts';

/**
 * Records writes in progress that a killed process would leave half done. Each entry is a small
 * file in `<state>/journal`; the next start completes or undoes it.
 */
export interface Journal {
  /** Records a temporary file that must be removed if this process dies. */
  noteTemporary(file: string): Outcome<JournalEntry>;
  /** Records folders, innermost first, that are made for a file and go if it never exists. */
  noteFolders(file: string, folders: readonly string[]): Outcome<JournalEntry>;
  /** Records a folder of ours, named by `toOwnFolder`, that is removed with all that is in it. */
  noteFolder(folder: string): Outcome<JournalEntry>;
  /** Saves both versions of a file before it is written in place. */
  keepCopy(file: string, before: Buffer, after: Buffer): Promise<Outcome<JournalEntry>>;
}

export interface JournalEntry {
  /** Path of the saved copy, if the entry has one. */
  readonly copy?: string;
  done(): Promise<void>;
}

/** Without a state folder, for read-only or embedded use, nothing is recorded. */
export function createJournal(state: string | undefined): Journal {
  if (state === undefined) {
    const nothing = success({ done: async () => {} });
    const none = () => nothing;
    return {
      noteTemporary: none,
      noteFolders: none,
      noteFolder: none,
      keepCopy: async () => nothing,
    };
  }
  const folder = path.join(state, 'journal');
  return {
    noteTemporary: (file) => note(folder, { kind: 'temporary', ...toOwner(file) }),
    noteFolders: (file, folders) => note(folder, { kind: 'folders', folders, ...toOwner(file) }),
    noteFolder: (own) => note(folder, { kind: 'folder', ...toOwner(own) }),
    async keepCopy(file, before, after) {
      const copy = path.join(folder, newName('copy'));
      const wanted = path.join(folder, newName('copy'));
      const remove = async () => {
        for (const each of [copy, wanted]) await rm(each, { force: true });
      };
      const kept = await writeCopies([copy, before], [wanted, after]);
      if (!kept.ok) return kept;
      const entry = note(folder, { kind: 'copy', copy, after: wanted, ...toOwner(file) });
      if (entry.ok) return success({ copy, done: () => entry.data.done().then(remove) });
      await remove();
      return entry;
    },
  };
}

async function writeCopies(...copies: readonly [string, Buffer][]): Promise<Outcome<void>> {
  const written: string[] = [];
  for (const [copy, bytes] of copies) {
    const kept = await writeCopy(copy, bytes);
    if (kept.ok) {
      written.push(copy);
      continue;
    }
    for (const each of written) await rm(each, { force: true }).catch(() => undefined);
    return kept;
  }
  return success(undefined);
}

async function writeCopy(copy: string, bytes: Buffer): Promise<Outcome<void>> {
  try {
    await mkdir(path.dirname(copy), { recursive: true, mode: 0o700 });
    const handle = await open(copy, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return success(undefined);
  } catch (fault) {
    await rm(copy, { force: true }).catch(() => undefined);
    return failure(describeJournalFault(fault, path.dirname(copy)));
  }
}

export function describeKept({ file, copy }: LeftFile): string {
  return `A write to ${file} was interrupted when its host exited. The file was changed since, so it was left as it is; its content before the write is in ${copy}.`;
}

/**
 * Completes or undoes the writes of killed processes. Skips entries of running processes. Returns
 * the files it recovered; `onKept` gets those that it left as they are.
 */
export async function recoverJournal(
  state: string,
  onKept: (kept: LeftFile) => void = () => undefined,
): Promise<readonly string[]> {
  const folder = path.join(state, 'journal');
  const recovered: string[] = [];
  for (const { name, entry } of await readEntries(folder)) {
    if (await isWriting(path.join(folder, name), entry)) continue;
    const settled = entry && (await settle(entry, state));
    // If the disk is full or missing, keep the entry for the next start.
    if (settled === 'failed') continue;
    await removeLeft(path.join(folder, name));
    if (entry?.kind === 'copy' && entry.after !== undefined) await removeLeft(entry.after);
    if (entry === undefined || settled === 'nothing') continue;
    if (typeof settled === 'object') onKept(settled);
    else recovered.push(entry.file);
  }
  await removeStrayCopies(folder);
  return recovered;
}

/** Folders come last, because only the removal of temporary files may leave them empty. */
async function readEntries(folder: string) {
  const names = (await list(folder)).filter((each) => each.endsWith('.json'));
  const entries = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
      return { name, entry: parseEntry(text) };
    }),
  );
  const isLast = ({ entry }: (typeof entries)[number]) => Number(entry?.kind === 'folders');
  return entries.sort((one, other) => isLast(one) - isLast(other));
}

/** Removes copies without an entry: their process was killed before it began to write. */
async function removeStrayCopies(folder: string): Promise<void> {
  const names = await list(folder);
  const entries = names.filter((each) => each.endsWith('.json'));
  const texts = await Promise.all(
    entries.map((name) => readFile(path.join(folder, name), 'utf8').catch(() => '')),
  );
  for (const name of names.filter((each) => each.endsWith('.copy'))) {
    const named = texts.some((text) => text.includes(name));
    if (named || (await isWriting(path.join(folder, name)))) continue;
    await removeLeft(path.join(folder, name));
  }
}

/**
 * Whether the process that made a file of the journal may still be writing. Of one that can't be seen from
 * here, such as a container's, until no write takes that long.
 */
async function isWriting(file: string, entry?: Entry): Promise<boolean> {
  const mark = entry?.mark ?? path.basename(file).split('-', 1)[0] ?? '';
  if (readMark(mark) !== 'unknown') return readMark(mark) === 'running';
  const at = entry?.at ?? (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
  return Date.now() - at < (entry?.kind === 'folder' ? FILL_MS : WRITE_MS);
}

/** What can't be removed must not keep the host from running; the next start tries again. */
async function removeLeft(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}

function newName(kind: 'copy' | 'json'): string {
  return `${processMark()}-${randomUUID()}.${kind}`;
}

interface Owner {
  readonly file: string;
  /** The process that writes. */
  readonly mark: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const toOwner = (file: string): Owner => ({ file, mark: processMark(), at: Date.now() });

type Entry =
  | (Owner & { readonly kind: 'temporary' })
  | (Owner & { readonly kind: 'folder' })
  | (Owner & { readonly kind: 'folders'; readonly folders: readonly string[] })
  /** `after`: a copy of what was to be written; earlier versions kept none. */
  | (Owner & { readonly kind: 'copy'; readonly copy: string; readonly after?: string });

/** No write takes this long, and nothing fills a folder for so long. */
const WRITE_MS = 600_000;
const FILL_MS = 3_600_000;

/**
 * An entry is written before its work begins, so a partial entry can be ignored. Synchronous: a
 * small file takes microseconds, less than a round trip through the thread pool.
 */
function note(folder: string, entry: Entry): Outcome<JournalEntry> {
  const file = path.join(folder, newName('json'));
  const write = () => writeFileSync(file, JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
  try {
    try {
      write();
    } catch (fault) {
      if (getCode(fault) !== 'ENOENT') throw fault;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      write();
    }
    return success({ done: async () => rmSync(file, { force: true }) });
  } catch (fault) {
    removeTorn(file);
    return failure(describeJournalFault(fault, folder));
  }
}

/**
 * On a full disk the file may exist but be empty. If it can't be removed now, the next start does
 * it.
 */
function removeTorn(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (fault) {
    if (getCode(fault) === undefined) throw fault;
  }
}

/** Without a journal entry no file is changed, because the change could not be undone. */
function describeJournalFault(fault: unknown, folder: string): string {
  return `Nothing was changed, because the recovery journal cannot be written: ${describeFault(fault, folder)}`;
}

/** Removes what was left or restores the old content. */
async function settle(
  entry: Entry,
  state: string,
): Promise<'done' | 'nothing' | 'failed' | LeftFile> {
  try {
    if (entry.kind === 'folders') return removeEmpty(entry.folders) ? 'done' : 'nothing';
    if (entry.kind === 'copy') return await restore(entry, path.join(state, 'kept'));
    if (entry.kind === 'folder') return (await removeOwnFolder(entry.file)) ? 'done' : 'nothing';
    await rm(entry.file, { force: true });
    return 'done';
  } catch (fault) {
    // If the copy is gone, there is nothing to undo.
    const gone = getCode(fault) === 'ENOENT' || getCode(fault) === 'ENOTDIR';
    return gone ? 'done' : 'failed';
  }
}

function removeEmpty(folders: readonly string[]): boolean {
  try {
    for (const folder of folders) rmdirSync(folder);
    return true;
  } catch (fault) {
    if (getCode(fault) === undefined) throw fault;
    // It has something in it, or was never made.
    return false;
  }
}

function list(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((fault: unknown) => {
    if (getCode(fault) === 'ENOENT' || getCode(fault) === 'ENOTDIR') return [];
    throw fault;
  });
}

function parseEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    // A partial entry can be ignored: its work had not begun.
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const field = (name: string): unknown => Reflect.get(value, name);
  if (!isTexts([field('file'), field('mark')]) || typeof field('at') !== 'number') return false;
  if (field('kind') === 'folders') return isTexts(field('folders'));
  const kind = field('kind');
  return kind === 'temporary' || kind === 'folder' || typeof field('copy') === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
