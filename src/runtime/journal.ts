import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './open.ts';

/**
 * What is under way in files that a killed process would leave half done. Each entry is a small file
 * in `<state>/journal`; the next start finishes or undoes it (contract: reads and writes).
 */
export interface Journal {
  /** Notes a temporary file that must not stay. */
  noteTemporary(file: string): Promise<JournalEntry>;
  /** Keeps a copy of a file that is about to be written in place. */
  keepCopy(file: string, bytes: Buffer): Promise<JournalEntry>;
}

export interface JournalEntry {
  done(): Promise<void>;
}

/** Without a state folder nothing is kept: a read-only or embedded use. */
export function createJournal(state: string | undefined): Journal {
  if (state === undefined) {
    const nothing = async () => ({ done: async () => {} });
    return { noteTemporary: nothing, keepCopy: nothing };
  }
  const folder = path.join(state, 'journal');
  return {
    async noteTemporary(file) {
      return note(folder, { kind: 'temporary', file, pid: process.pid, at: Date.now() });
    },
    async keepCopy(file, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const copy = path.join(folder, newName('copy'));
      const handle = await open(copy, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      const entry = await note(folder, {
        kind: 'copy',
        file,
        copy,
        pid: process.pid,
        at: Date.now(),
      });
      return { done: () => entry.done().then(() => rm(copy, { force: true })) };
    },
  };
}

/** Finishes what killed processes left. Entries of processes that live are left alone. */
export async function recoverJournal(state: string): Promise<readonly string[]> {
  const folder = path.join(state, 'journal');
  const recovered: string[] = [];
  const names = await list(folder);
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const entry = parseEntry(await readFile(path.join(folder, name), 'utf8').catch(() => ''));
    if (entry === undefined && isAlive(Number.parseInt(name, 10))) continue;
    if (entry !== undefined && Date.now() - entry.at < WRITE_MS && isAlive(entry.pid)) continue;
    if (entry?.kind === 'temporary') await rm(entry.file, { force: true });
    if (entry?.kind === 'copy') await restore(entry.file, entry.copy);
    await rm(path.join(folder, name), { force: true });
    if (entry !== undefined) recovered.push(entry.file);
  }
  // What has no entry was killed before its work began.
  for (const name of names.filter((each) => /\.copy$/.test(each))) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(path.join(folder, name), { force: true });
  }
  return recovered;
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

/** No write takes this long; an older entry's process id belongs to someone else by now. */
const WRITE_MS = 600_000;

/** An entry is written before its work begins, so a torn one speaks of nothing. */
async function note(folder: string, entry: Entry): Promise<JournalEntry> {
  const file = path.join(folder, newName('json'));
  const write = () => writeFile(file, JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
  try {
    await write();
  } catch (fault) {
    if (codeOf(fault) !== 'ENOENT') throw fault;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write();
  }
  return { done: () => unlink(file) };
}

async function restore(file: string, copy: string): Promise<void> {
  const bytes = await readFile(copy).catch(() => undefined);
  // In place, so that every name of the file sees it. A file that is gone needs no undoing.
  const handle = bytes && (await open(file, 'r+').catch(() => undefined));
  if (handle && bytes) {
    try {
      await handle.truncate(0);
      await handle.write(bytes, 0, bytes.length, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  await rm(copy, { force: true });
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return [];
    throw fault;
  }
}

function parseEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    // A torn entry was never in force: its work had not begun.
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

function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return codeOf(fault) === 'EPERM';
  }
}
