import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { getCode } from '../../base/faults.ts';
import { createLookUps, toStart } from './lookUps.ts';

/** Names that may be those of files: most of the words of a command are none. */
export interface NamedFiles {
  /** Those that are now the name of something other than a folder. */
  find(): Promise<ReadonlySet<string>>;
}

/** A folder, as it was when its names were looked up. */
interface Folder {
  readonly facts: string;
  /** The names that something has. */
  readonly present: readonly string[];
}

/** Some file systems have timestamps of two seconds: a younger folder may change without a new one. */
const YOUNG_MS = 2_000;

/** Of more names in one folder, those that it doesn't list are not looked up one by one. */
const FEW = 16;

/** The facts of a folder that isn't there. */
const ABSENT = 'absent';

/**
 * Looks up names again and again. A name that was absent is looked up again when its folder has changed,
 * since nothing appears in a folder without changing its timestamps. `names` are absolute.
 */
export function createNamedFiles(
  names: ReadonlySet<string>,
  now: () => number = Date.now,
): NamedFiles {
  const folders = [...Map.groupBy(names, (name) => path.dirname(name))].map(toAsked);
  const known = new Map<string, Folder>();
  return {
    async find() {
      const { pause, listStarts } = createLookUps();
      const found = new Set<string>();
      for (const { folder, files, byStart } of folders) {
        // Before the files, so that one that appears meanwhile makes the folder another one.
        const facts = readFacts(folder, now());
        const last = known.get(folder);
        const isKnown = last !== undefined && last.facts === facts;
        const look = () => {
          const starts = byStart && listStarts(folder);
          return (starts ? findListed(byStart, starts) : files).filter(isPresent);
        };
        const present = isKnown ? last.present : facts === ABSENT ? [] : look();
        if (facts === undefined) known.delete(folder);
        else known.set(folder, { facts, present });
        for (const file of present) if (isFile(file)) found.add(file);
        await pause();
      }
      return found;
    },
  };
}

/** The names that are looked up in a folder. */
interface Asked {
  readonly folder: string;
  readonly files: readonly string[];
  /** The same by how they start, if there are many; those that can't be compared under `undefined`. */
  readonly byStart: ByStart | undefined;
}

type ByStart = ReadonlyMap<string | undefined, readonly string[]>;

function toAsked([folder, files]: readonly [string, readonly string[]]): Asked {
  const byStart = files.length > FEW ? Map.groupBy(files, toStart) : undefined;
  return { folder, files, byStart };
}

/** The names that something in the folder may have: it lists few names, and is asked for many. */
function findListed(byStart: ByStart, starts: ReadonlySet<string>): readonly string[] {
  return [undefined, ...starts].flatMap((start) => byStart.get(start) ?? []);
}

/** Undefined: the folder may change unnoticed. */
function readFacts(folder: string, now: number): string | undefined {
  // FAT has no timestamps of folders there.
  if (process.platform === 'win32') return undefined;
  const stat = lookUp(() => statSync(folder, { bigint: true, throwIfNoEntry: false }));
  if (stat === undefined) return ABSENT;
  const changed = Math.max(Number(stat.mtimeMs), Number(stat.ctimeMs));
  if (changed > now - YOUNG_MS) return undefined;
  return [stat.dev, stat.ino, stat.mtimeNs, stat.ctimeNs].join(' ');
}

/** Whether something has the name. The target of a link may appear without a change of its folder. */
function isPresent(name: string): boolean {
  return lookUp(() => lstatSync(name, { throwIfNoEntry: false })) !== undefined;
}

export function isFile(name: string): boolean {
  return lookUp(() => statSync(name, { throwIfNoEntry: false }))?.isDirectory() === false;
}

/** Why a word names no file: it is too long, a link to itself, or in a folder that this user can't enter. */
const NO_FILE = new Set(['ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM']);

function lookUp<Stats>(look: () => Stats | undefined): Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (NO_FILE.has(getCode(error) ?? '')) return undefined;
    throw error;
  }
}
