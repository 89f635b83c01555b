import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../base/disk/statCache.ts';
import { findRealFolder, type LinkCache, ODD } from '../patterns/paths.ts';

/** Where git keeps a repository. */
export interface GitFolder {
  /** The folder with its files. */
  readonly root: string;
  /** The folder with `HEAD` and the index. */
  readonly own: string;
  /** The folder with the configuration; another one for a linked worktree. */
  readonly common: string;
}

/**
 * The repository that git finds from a folder, as it does: upwards. Undefined: there is none. Throws
 * if it can't be told whether git takes a folder for one.
 */
export function findGitFolder(folder: string, links?: LinkCache): GitFolder | undefined {
  // Git looks above the folder that a link leads to.
  for (let root = resolveFolder(folder, links); ; root = path.dirname(root)) {
    const git = openGitFolder(root) ?? openBare(root);
    if (git !== undefined) return git;
    if (path.dirname(root) === root) return undefined;
  }
}

/** The repository whose work tree is the folder. Undefined: git looks further above it. */
export function openGitFolder(root: string): GitFolder | undefined {
  const file = path.join(root, '.git');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    const git = { root, own: file, common: findCommon(file) };
    return isRepository(git) ? git : undefined;
  }
  // Git doesn't look further if the file names no repository.
  const target =
    stat === undefined ? undefined : /^gitdir: ([\s\S]*)/.exec(readText(file) ?? '')?.[1];
  if (target === undefined) return undefined;
  const own = followName(root, withoutLineEnd(target));
  return { root, own, common: findCommon(own) };
}

/** Git also takes a folder with `HEAD`, `objects` and `refs` for a repository, whatever its name is. */
function openBare(root: string): GitFolder | undefined {
  const git = { root, own: root, common: findCommon(root) };
  return isRepository(git) ? git : undefined;
}

/** The folder that the `commondir` in it names; without one, the folder itself. */
export function findCommon(own: string): string {
  const common = readText(path.join(own, 'commondir'));
  return common === undefined ? own : followName(own, withoutLineEnd(common));
}

/**
 * What a name in a file of git leads to from a folder. Git enters it, so `..` behind a link is above what that leads
 * to. Throws for a name that isn't UTF-8, which can't be looked up.
 */
export function followName(folder: string, name: string): string {
  if (name.includes(ODD)) throw new Error(`A name in ${folder} isn't UTF-8.`);
  return resolveFolder(path.isAbsolute(name) ? name : `${resolveFolder(folder)}/${name}`);
}

/** The real path. Throws if that can't be told. */
export function resolveFolder(folder: string, links?: LinkCache): string {
  const real = findRealFolder(folder, process.platform, links);
  if (real === undefined) throw new Error(`It can't be told where ${folder} leads.`);
  return real;
}

/** Git keeps blanks, and other lines. */
function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

/** Whether git takes the folder for a repository. An empty `.git` is none. Throws if that isn't certain. */
function isRepository({ own, common }: GitFolder): boolean {
  const parts = [path.join(common, 'objects'), path.join(common, 'refs')];
  const stats = parts.map((part) => statSync(part, { throwIfNoEntry: false }));
  const head = path.join(own, 'HEAD');
  const hasHead = lstatSync(head, { throwIfNoEntry: false }) !== undefined;
  if (!hasHead || stats.includes(undefined)) return false;
  const text = readText(head) ?? '';
  const valid = /^(?:ref:\s*refs\/\S+|[\da-f]{40}|[\da-f]{64})\s*$/.test(text);
  if (valid && stats.every((stat) => stat?.isDirectory() === true)) return true;
  throw new Error(`${own} may be a repository.`);
}

/** More than any configuration that a person writes, in bytes. */
const TEXT_LIMIT = 1024 * 1024;

/** Undefined: there is no such file. Throws if it can't be read, is too large or is no regular file. */
export function readText(file: string): string | undefined {
  return texts.get(file);
}

const texts = createStatCache((file) => readRegular(file, TEXT_LIMIT)?.toString('utf8'));

/**
 * The bytes of a file of git. Undefined: there is none. A pipe or a device is never opened for
 * reading, since that could wait for ever; it throws like a file with more than `most` bytes.
 */
export function readRegular(file: string, most: number): Buffer | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > most) throw new Error(`${file} can't be read.`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
