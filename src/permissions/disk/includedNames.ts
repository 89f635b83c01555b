import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';

/** The files that tell a search what to leave out, and with `!` what not. */
const NAMES = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'];
/** More than any ignore file that a person writes, in bytes, and how much of it is understood. */
const LIMIT = 1024 * 1024;
const LINES = 200;
const LENGTH = 100;

/**
 * Returns a test whether a search that skips hidden names may still enter or read one in a folder,
 * because an ignore file there or above has a line such as `!.env`.
 */
export function createIncluded(): (folder: string, name: string) => boolean {
  const known = new Map<string, readonly string[]>();
  const listAbove = (folder: string): readonly string[] => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const above = dirname(folder);
    const all = [...listIncluded(folder), ...(above === folder ? [] : listAbove(above))];
    known.set(folder, all);
    return all;
  };
  return (folder, name) => listAbove(folder).some((pattern) => mayBeNamed(name, pattern));
}

/** The last names of the patterns that the folder's ignore files include; `*` may be any name. */
function listIncluded(folder: string): readonly string[] {
  return NAMES.flatMap((name) => {
    const file = `${folder === '/' ? '' : folder}/${name}`;
    if (!exists(file)) return [];
    const read = readRegular(file, LIMIT);
    // What can't be read may include anything.
    if (read.state === 'unreadable') return ['*'];
    if (read.state === 'absent') return [];
    const found = read.bytes.toString('utf8').split('\n').flatMap(toName);
    return found.length > LINES ? ['*'] : found;
  });
}

/** Most folders have none of these files. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path isn't a folder.
    return false;
  }
}

function toName(line: string): readonly string[] {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (!text.startsWith('!')) return [];
  const last = text.slice(1).replace(/\/+$/, '').split('/').at(-1) || '*';
  // A backslash quotes the next character. A list of names may hold any.
  return [last.length > LENGTH || /[\\{]/.test(last) ? '*' : last];
}
