import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { getCode, isRunning } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { fill } from './fill.ts';
import { describeFault } from './open.ts';

/**
 * Records writes in progress that a killed process would leave half done. Each entry is a small
 * file in `<state>/journal`; the next start completes or undoes it.
 */
export interface Journal {
  /** Records a temporary file that must be removed if this process dies. */
  noteTemporary(file: string): Outcome<JournalEntry>;
  /** Saves a copy of a file before it is written in place. */
  keepCopy(file: string, bytes: Buffer): Promise<Outcome<JournalEntry>>;
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
    return { noteTemporary: () => nothing, keepCopy: async () => nothing };
  }
  const folder = path.join(state, 'journal');
  return {
    noteTemporary(file) {
      return note(folder, { kind: 'temporary', file, pid: process.pid, at: Date.now() });
    },
    async keepCopy(file, bytes) {
      const copy = path.join(folder, newName('copy'));
      const kept = await writeCopy(copy, bytes);
      if (!kept.ok) return kept;
      const entry = note(folder, { kind: 'copy', file, copy, pid: process.pid, at: Date.now() });
      const remove = () => rm(copy, { force: true });
      if (entry.ok) return success({ copy, done: () => entry.data.done().then(remove) });
      await remove();
      return entry;
    },
  };
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

/**
 * Completes or undoes the writes of killed processes. Skips entries of running processes. Returns
 * the files it recovered.
 */
export async function recoverJournal(state: string): Promise<readonly string[]> {
  const folder = path.join(state, 'journal');
  const recovered: string[] = [];
  const names = await list(folder);
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const entry = parseEntry(await readFile(path.join(folder, name), 'utf8').catch(() => ''));
    if (entry === undefined && isRunning(Number.parseInt(name, 10))) continue;
    if (entry !== undefined && Date.now() - entry.at < WRITE_MS && isRunning(entry.pid)) continue;
    // If the disk is full or missing, keep the entry for the next start.
    if (entry !== undefined && !(await settle(entry))) continue;
    await removeLeft(path.join(folder, name));
    if (entry !== undefined) recovered.push(entry.file);
  }
  await removeStrayCopies(folder);
  return recovered;
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
    if (named || isRunning(Number.parseInt(name, 10))) continue;
    await removeLeft(path.join(folder, name));
  }
}

/** What can't be removed must not keep the host from running; the next start tries again. */
async function removeLeft(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}

function newName(kind: 'copy' | 'json'): string {
  return `${process.pid}-${randomUUID()}.${kind}`;
}

interface Owner {
  readonly file: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

type Entry =
  | (Owner & { readonly kind: 'temporary' })
  | (Owner & { readonly kind: 'copy'; readonly copy: string });

/** No write takes this long; the process id of an older entry has been reused. */
const WRITE_MS = 600_000;

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

/** Removes a temporary file or restores the old content. False when that failed. */
async function settle(entry: Entry): Promise<boolean> {
  try {
    if (entry.kind === 'temporary') await rm(entry.file, { force: true });
    else await restore(entry.file, entry.copy);
    return true;
  } catch (fault) {
    // If the file or the copy is gone, there is nothing to undo.
    return getCode(fault) === 'ENOENT' || getCode(fault) === 'ENOTDIR';
  }
}

/** Restores in place, so that all names (hard links) of the file see it. */
async function restore(file: string, copy: string): Promise<void> {
  const bytes = await readFile(copy);
  const handle = await open(file, 'r+');
  try {
    await fill(handle, bytes);
  } finally {
    await handle.close();
  }
  await rm(copy, { force: true });
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (fault) {
    if (getCode(fault) === 'ENOENT' || getCode(fault) === 'ENOTDIR') return [];
    throw fault;
  }
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
  if (typeof field('file') !== 'string' || typeof field('pid') !== 'number') return false;
  if (typeof field('at') !== 'number') return false;
  return field('kind') === 'temporary' || typeof field('copy') === 'string';
}
