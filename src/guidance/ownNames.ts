import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { toReal } from './foldersUp.ts';

/** Why a file of the project, which leads to `real`, is not read for the model; undefined: it is read. */
export type FindFault = (file: string, real: string) => string | undefined;

/** What the rules of a session say about reading a file, under each of its names. */
export type DecideRead = (file: string) => 'allow' | 'ask' | 'deny';

/**
 * Another program may have given the name of an instruction file to a file of secrets, by a link or a hard link. So what
 * is read bears one of the expected names itself, and all of its hard links are among the files that are read
 * anyway. A file at another path is read only if the rules allow that.
 */
export function createFindFault(
  names: readonly string[],
  files: readonly string[],
  decideRead: DecideRead,
): FindFault {
  const paths = new Set(files.flatMap((file) => toOwnPath(file) ?? []));
  return (file, real) => {
    if (!names.includes(path.basename(real))) {
      return `It is a link to ${real}, which is not named ${names.join(', ')}.`;
    }
    const stats = toStats(real);
    if (stats === undefined) return 'It is gone.';
    const known = [...paths].filter((each) => isSame(toStats(each), stats));
    if (stats.isFile() && stats.nlink > 1 && known.length < stats.nlink) return SHARED;
    const decision = decideRead(file);
    if (decision === 'allow' || (decision === 'ask' && paths.has(real))) return undefined;
    return `Your rules don't allow reading ${real}.`;
  };
}

/** Why a skill of the project is not read. In a folder that a link leads to, the rules must allow it. */
export function findSkillFault(file: string, decideRead: DecideRead): string | undefined {
  const stats = toStats(file);
  if (stats?.isFile() && stats.nlink > 1) return SHARED;
  const decision = decideRead(file);
  if (decision === 'allow' || (decision === 'ask' && IN_SKILLS.test(file))) return undefined;
  return `Your rules don't allow reading ${file}.`;
}

const IN_SKILLS = /[\\/]\.(?:agents|claude)[\\/]skills[\\/]/;

const SHARED =
  'It is a hard link, and its other names are not known. Replace it with a copy of its own.';

/** The file itself, without what it links to. */
function toOwnPath(file: string): string | undefined {
  const folder = toReal(path.dirname(file));
  return folder === undefined ? undefined : path.join(folder, path.basename(file));
}

function isSame(one: Stats | undefined, { dev, ino }: Stats): boolean {
  return one !== undefined && one.dev === dev && one.ino === ino;
}

/** Of the name itself: a link is another file. */
function toStats(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
