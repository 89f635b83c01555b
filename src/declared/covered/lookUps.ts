import { opendirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { readRegular } from '../../base/disk/readRegular.ts';
import { isRecord } from '../../base/json.ts';

/**
 * What one search for imports looks up on disk. A repository decides how much that is, so each folder and
 * configuration is read once, the work is counted, and the host's thread is not kept busy.
 */
export interface LookUps {
  /** The file's real path, from which a runtime resolves its imports; none if it is no file. */
  toRealFile(file: string): readonly string[];
  /** False if nothing in the folder has a name that starts like this one, up to its first dot. */
  mayExist(file: string): boolean;
  /** How the names in the folder start, as `toStart` has them; undefined if they are too many. */
  listStarts(folder: string): ReadonlySet<string> | undefined;
  /** The value of a JSON file with comments; empty if there is none. */
  readConfig(file: string): Readonly<Record<string, unknown>>;
  /** Counts work. False when more of it was done than a search may do. */
  spend(units?: number): boolean;
  /** Lets other work of the host go on, if it waited for long. */
  pause(): Promise<void>;
}

/** The most names that one search resolves, each in each folder on the way up, and patterns that it compares. */
export const LOOK_UPS = 100_000;

/** The most names of a folder that are listed. In a larger one, each file is looked up by itself. */
const LISTED = 5_000;

/** The longest time without a pause. Milliseconds. */
const BUSY_MS = 10;

export function createLookUps(): LookUps {
  const folders = new Map<string, Listing | undefined>();
  const files = new Map<string, readonly string[]>();
  const configs = new Map<string, Readonly<Record<string, unknown>>>();
  let spent = 0;
  let paused = performance.now();
  const listNames = (folder: string) => memoize(folders, folder, listFolder);
  const list = (file: string) => listNames(path.dirname(file));
  return {
    toRealFile: (file) =>
      memoize(files, file, () => (hasName(list(file), file) ? toRealFile(file) : [])),
    mayExist(file) {
      const start = toStart(file);
      return start === undefined || (list(file)?.starts.has(start) ?? true);
    },
    listStarts: (folder) => listNames(folder)?.starts,
    readConfig: (file) => memoize(configs, file, readConfig),
    spend(units = 1) {
      spent += units;
      return spent <= LOOK_UPS;
    },
    async pause() {
      if (performance.now() - paused < BUSY_MS) return;
      await new Promise((resolve) => setImmediate(resolve));
      paused = performance.now();
    },
  };
}

function memoize<Value>(
  known: Map<string, Value>,
  key: string,
  make: (key: string) => Value,
): Value {
  if (known.has(key)) return known.get(key) as Value;
  const made = make(key);
  known.set(key, made);
  return made;
}

/** The names in a folder, folded. */
interface Listing {
  readonly names: ReadonlySet<string>;
  readonly starts: ReadonlySet<string>;
}

/** Undefined if the names can't be listed, or are too many. An absent folder has none. */
function listFolder(folder: string): Listing | undefined {
  const names = new Set<string>();
  const starts = new Set<string>();
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      return { names, starts };
    const directory = opendirSync(folder, { bufferSize: 1024 });
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (names.size >= LISTED) return undefined;
        names.add(fold(entry.name));
        starts.add(getStart(entry.name));
      }
    } finally {
      directory.closeSync();
    }
    return { names, starts };
  } catch {
    return undefined;
  }
}

function hasName(listing: Listing | undefined, file: string): boolean {
  return isExact(file) || (listing?.names.has(fold(path.basename(file))) ?? true);
}

/** Windows finds a file by these names, though its folder lists it by another one. */
function isExact(file: string): boolean {
  return /[. ~]$|~\d/.test(path.basename(file));
}

/** The same for all names that some file system takes for equal. */
function fold(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toUpperCase();
  return name.normalize('NFKD').toLowerCase().toUpperCase();
}

/**
 * The folded name of the file up to its first dot, as a folder lists it; undefined if the folder may list it
 * by another name.
 */
export function toStart(file: string): string | undefined {
  return isExact(file) ? undefined : getStart(path.basename(file));
}

/** A dot in front is part of it. */
function getStart(base: string): string {
  const name = fold(base);
  const at = name.indexOf('.', 1);
  return at < 0 ? name : name.slice(0, at);
}

function toRealFile(file: string): readonly string[] {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined || stat.isDirectory() ? [] : [realpathSync(file)];
  } catch {
    return [];
  }
}

function readConfig(file: string): Readonly<Record<string, unknown>> {
  const read = readRegular(file);
  if (read.state !== 'read') return {};
  const value: unknown = parse(new TextDecoder().decode(read.bytes), [], {
    allowTrailingComma: true,
  });
  return isRecord(value) ? value : {};
}
