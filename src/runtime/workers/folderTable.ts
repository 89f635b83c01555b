import { type Stats, statSync } from 'node:fs';

/** Changes whenever a folder gets or loses an entry, or another one takes its place. */
export type FolderStamp = Pick<Stats, (typeof FIELDS)[number]>;

const FIELDS = ['ctimeMs', 'mtimeMs', 'size', 'ino', 'dev'] as const;
const WIDTH = FIELDS.length;

/** Folders with their stamps, in memory that threads share. Nothing of it changes any more. */
export interface FolderTable {
  /** Tables with the same folders in the same order have the same. */
  readonly id: number;
  readonly paths: Uint8Array<SharedArrayBuffer>;
  readonly stamps: Float64Array<SharedArrayBuffer>;
}

let tables = 0;

/** `undefined` for a folder that may change without another stamp: it always counts as changed. */
export function createTable(folders: ReadonlyMap<string, FolderStamp | undefined>): FolderTable {
  tables += 1;
  const text = Buffer.from([...folders.keys()].join('\0'));
  const paths = new Uint8Array(new SharedArrayBuffer(text.length));
  paths.set(text);
  const stamps = new Float64Array(new SharedArrayBuffer(folders.size * WIDTH * BYTES));
  let at = 0;
  for (const stamp of folders.values()) setStamp(stamps, at++, stamp);
  return { id: tables, paths, stamps };
}

const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The same folders, some with other stamps. */
export function replaceStamps(
  { id, paths, stamps }: FolderTable,
  changed: ReadonlyMap<number, FolderStamp | undefined>,
): FolderTable {
  const next = new Float64Array(new SharedArrayBuffer(stamps.byteLength));
  next.set(stamps);
  for (const [at, stamp] of changed) setStamp(next, at, stamp);
  return { id, paths, stamps: next };
}

function setStamp(stamps: Float64Array, at: number, stamp: FolderStamp | undefined): void {
  for (const [field, name] of FIELDS.entries()) {
    stamps[at * WIDTH + field] = stamp?.[name] ?? Number.NaN;
  }
}

export function readPaths({ paths }: Pick<FolderTable, 'paths'>): readonly string[] {
  return Buffer.from(paths.buffer).toString().split('\0');
}

/** The positions of folders that don't have their stamps now: of every `step`th one, beginning with `first`. */
export function findChanged(
  paths: readonly string[],
  stamps: Float64Array,
  first: number,
  step: number,
): readonly number[] {
  const changed: number[] = [];
  for (let at = first; at < paths.length; at += step) {
    if (!hasStamp(paths[at] ?? '', stamps, at * WIDTH)) changed.push(at);
  }
  return changed;
}

function hasStamp(folder: string, stamps: Float64Array, from: number): boolean {
  try {
    const stats = statSync(folder, IF_ANY);
    return stats !== undefined && FIELDS.every((name, at) => stats[name] === stamps[from + at]);
  } catch {
    // Whoever asks looks at it again, and meets the same.
    return false;
  }
}

const IF_ANY = { throwIfNoEntry: false } as const;
