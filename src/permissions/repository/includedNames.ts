import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import { listExcludeFiles } from './excludeFiles.ts';
import { openGitFolder } from './gitFolder.ts';

/** The files that tell a search what to leave out, and with `!` what not. */
const NAMES = ['.gitignore', '.ignore', '.rgignore'];
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
    const outer = above === folder ? listGlobal().flatMap(listIn) : listAbove(above);
    const all = [...listIncluded(folder), ...outer];
    known.set(folder, all);
    return all;
  };
  return (folder, name) => listAbove(folder).some((pattern) => mayBeNamed(name, pattern));
}

/** The last names of the patterns that the folder's ignore files include; `*` may be any name. */
function listIncluded(folder: string): readonly string[] {
  const own = folder === '/' ? '' : folder;
  const excludes = listExcludes(own);
  if (excludes === undefined) return ['*'];
  return [...NAMES.map((name) => `${own}/${name}`), ...excludes].flatMap(listIn);
}

function listIn(file: string): readonly string[] {
  if (!exists(file)) return [];
  const read = readRegular(file, LIMIT);
  // What can't be read may include anything.
  if (read.state === 'unreadable') return ['*'];
  if (read.state === 'absent') return [];
  const found = read.bytes.toString('utf8').split('\n').flatMap(toName);
  return found.length > LINES ? ['*'] : found;
}

/**
 * Those that belong to the repository: of a linked work tree, they are in the repository itself.
 * Undefined: it can't be read.
 */
function listExcludes(root: string): readonly string[] | undefined {
  const own = `${root}/.git`;
  if (!exists(own)) return [];
  try {
    const git = openGitFolder(root);
    const folders = [own, ...(git === undefined ? [] : [git.own, git.common])];
    const files = folders.map((folder) => `${folder}/info/exclude`);
    return [...new Set([...files, ...listExcludeFiles(root)])];
  } catch {
    // Git may take it for a repository or not.
    return undefined;
  }
}

/** The user's own ignore files, which hold everywhere. */
function listGlobal(): readonly string[] {
  const home = homedir();
  const folders = [process.env['XDG_CONFIG_HOME'] || `${home}/.config`, `${home}/.config`];
  const configurations = [`${home}/.gitconfig`, '/etc/gitconfig'];
  for (const folder of folders) configurations.push(`${folder}/git/config`);
  const named = configurations.flatMap((file) => {
    const read = exists(file) ? readRegular(file, LIMIT) : undefined;
    return read?.state === 'read' ? listNamed(read.bytes.toString('utf8'), home) : [];
  });
  return [...new Set([...folders.map((folder) => `${folder}/git/ignore`), ...named])];
}

/** The files that `core.excludesFile` names. */
function listNamed(configuration: string, home: string): readonly string[] {
  return [...configuration.matchAll(EXCLUDES_FILE)].map(([, name = '']) =>
    name.startsWith('~/') ? `${home}/${name.slice(2)}` : resolve(name),
  );
}

const EXCLUDES_FILE =
  /(?:^|\])[ \t]*excludesfile[ \t]*=[ \t]*"?[ \t]*([^"\n\r]*?)[ \t]*"?[ \t]*$/gim;

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
