import { lstatSync, opendirSync, readdirSync, type Stats, statfsSync } from 'node:fs';

/** Which entry of a file system it is. */
export interface EntryId {
  readonly dev: number;
  readonly ino: number;
}

/** What is read of the disk. Replaced in tests. */
export interface NameDisk {
  lstat(path: string): Stats | undefined;
  /** The number that `statfs` returns for the type of the file system. */
  type(path: string): number;
  /** Some of the names in a folder. */
  some(folder: string): readonly string[];
  all(folder: string): readonly string[];
  now(): number;
}

/**
 * `odd`: names differ in case, but a name of an odd form, such as `ENV~1`, may open a file of another name.
 */
export type FolderCase = 'distinct' | 'odd' | 'folds';

/** Finds names under which a folder of Linux opens entries that it lists under another name. */
export interface NameFinder {
  /** Whether the folder ignores case. An entry of it, if one is known, spares a look for one. */
  readCase(folder: string, id: EntryId, name?: string, stats?: EntryId): FolderCase;
  /**
   * The name under which a folder lists what it opens under `name`, where `readCase` doesn't say that they are the
   * same. Undefined if it lists none of that kind.
   */
  findListed(folder: string, name: string, stats: EntryId): string | undefined;
}

export function createNameFinder(disk: NameDisk = REAL): NameFinder {
  return {
    readCase: createCaseReader(disk),
    findListed(folder, name, stats) {
      const names = disk.all(folder);
      if (names.includes(name)) return name;
      const isSame = (each: string) => isEntry(disk.lstat(join(folder, each)), stats);
      const folded = foldName(name);
      const likely = names.filter((each) => foldName(each) === folded);
      return likely.find(isSame) ?? names.slice(0, MOST_NAMES).find(isSame);
    },
  };
}

function isEntry(found: EntryId | undefined, { dev, ino }: EntryId): boolean {
  return found?.ino === ino && found.dev === dev;
}

/** How many names of a folder are looked up. If none of them is the one, it can't be told. */
const MOST_NAMES = 4096;

/** Short names, what Windows leaves out of names, and letters that have several forms. */
export function isOddName(name: string): boolean {
  return /~\d|:|[. ]$|[^\0-\x7f]/.test(name) && name !== '.' && name !== '..';
}

/** Folds as the file systems do that ignore case. */
function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase();
}

/** The name without what FAT and NTFS leave out of it: streams, and dots and spaces at the end. */
export function toStoredName(name: string): string {
  return name.replace(/(?<=.):.*$/, '').replace(/(?<=[^. ])[. ]+$/, '');
}

/** Remembers for a few seconds, because a device number may come to mean another device. */
function createCaseReader(disk: NameDisk): NameFinder['readCase'] {
  const kinds = new Map<number, 'folds' | 'native' | 'other'>();
  const cases = new Map<number, Map<number, FolderCase>>();
  let since = disk.now();
  let left = MOST_FOLDERS;
  const dropAll = () => {
    kinds.clear();
    cases.clear();
    since = disk.now();
    left = MOST_FOLDERS;
  };
  return (folder, { dev, ino }, name, stats) => {
    if (left <= 0 || disk.now() - since > FRESH_MS) dropAll();
    const known = cases.get(dev)?.get(ino);
    if (known !== undefined) return known;
    const kind = kinds.get(dev) ?? toKind(disk.type(folder));
    kinds.set(dev, kind);
    const otherwise = kind === 'native' ? 'distinct' : 'odd';
    const folds = kind === 'folds' || probe(folder, name, stats, disk);
    // A folder without letters in its names may get some.
    if (folds === undefined) return otherwise;
    const value = folds ? 'folds' : otherwise;
    const folders = cases.get(dev) ?? new Map<number, FolderCase>();
    cases.set(dev, folders.set(ino, value));
    left -= 1;
    return value;
  };
}

const FRESH_MS = 10_000;
const MOST_FOLDERS = 10_000;

/** Whether an entry is found under its name with the case of all letters swapped, too. */
function probe(
  folder: string,
  name: string | undefined,
  stats: EntryId | undefined,
  disk: NameDisk,
): boolean | undefined {
  const isTwin = (each: string, entry: EntryId) => {
    const twin = disk.lstat(join(folder, swapCase(each)));
    if (twin === undefined || isEntry(twin, entry)) return twin !== undefined;
    // Two files, unless something is mounted over one spelling, or the system numbers them apart.
    const names = disk.all(folder);
    return !names.includes(each) || !names.includes(swapCase(each));
  };
  if (name !== undefined && stats !== undefined && swapCase(name) !== name)
    return isTwin(name, stats);
  const other = disk.some(folder).find((each) => swapCase(each) !== each);
  const found = other === undefined ? undefined : disk.lstat(join(folder, other));
  return other === undefined || found === undefined ? undefined : isTwin(other, found);
}

function swapCase(name: string): string {
  return name.replace(/[a-z]/gi, (letter) => {
    const upper = letter.toUpperCase();
    return upper === letter ? letter.toLowerCase() : upper;
  });
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** FAT, exFAT, NTFS, CIFS and SMB, HFS, APFS, and shares of VirtualBox and Parallels. */
const FOLDING: ReadonlySet<number> = new Set([
  ...[0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0xff534d42, 0xfe534d42, 0x517b],
  ...[0x4244, 0x482b, 0x4253584e, 0x786f4256, 0x7c7c6673],
]);

/** Those of Linux, where a folder may ignore case, but never has short names: ext, XFS, Btrfs, tmpfs, overlay and so on. */
const NATIVE: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0xca451a4e],
  ...[0x9fa0, 0x62656572, 0x73717368, 0xe0f5e1e2, 0x858458f6, 0x63677270],
]);

function toKind(type: number): 'folds' | 'native' | 'other' {
  // Some systems return it as a number of 32 bits with a sign.
  const id = type >>> 0;
  if (FOLDING.has(id)) return 'folds';
  return NATIVE.has(id) ? 'native' : 'other';
}

const REAL: NameDisk = {
  lstat: (path) => orElse(() => lstatSync(path, { throwIfNoEntry: false }), undefined),
  type: (path) => orElse(() => statfsSync(path).type, 0),
  some: (folder) => orElse(() => readSome(folder), []),
  all: (folder) => orElse(() => readdirSync(folder), []),
  now: () => performance.now(),
};

/** As many as one request to the system returns. */
function readSome(folder: string): readonly string[] {
  const opened = opendirSync(folder, { bufferSize: SOME });
  try {
    const names: string[] = [];
    while (names.length < SOME) {
      const entry = opened.readSync();
      if (entry === null) break;
      names.push(entry.name);
    }
    return names;
  } finally {
    opened.closeSync();
  }
}

const SOME = 64;

/** What can't be read tells nothing: no file is opened there either. */
function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
