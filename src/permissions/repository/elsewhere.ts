import { readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../base/disk/statCache.ts';
import { isBelow, type LinkCache, ODD } from '../patterns/paths.ts';
import {
  findCommon,
  findGitFolder,
  followName,
  type GitFolder,
  openGitFolder,
  readText,
  resolveFolder,
} from './gitFolder.ts';
import { readIndex } from './trackedFiles.ts';

/**
 * What git reads that lies neither in the work tree's `.git` nor in the repository that this is a
 * worktree of: where `.git` leads otherwise, where links in it lead, and the repositories of which it
 * borrows objects. The same of its submodules, which git enters, too. Real and absolute. Throws if
 * that can't be told.
 */
export function listElsewhere(git: GitFolder, cache?: LinkCache): readonly string[] {
  const found = new Set<string>();
  const all = [git];
  const seen = new Set([git.own]);
  for (const each of all) {
    for (const file of listOwn(each, cache)) found.add(file);
    for (const { name, submodule } of readIndex(each) ?? []) {
      const inner = submodule ? openGitFolder(path.join(each.root, name)) : undefined;
      if (inner === undefined || seen.has(inner.own)) continue;
      seen.add(inner.own);
      all.push(inner);
    }
  }
  return [...found];
}

function listOwn(git: GitFolder, cache?: LinkCache): readonly string[] {
  const real = (folder: string) => resolveFolder(folder, cache);
  const [own, common] = [real(git.own), real(git.common)];
  const isOwn = isBelow(own, path.join(git.root, '.git')) || isKnown(own, git.root, real);
  const folders = [...(isOwn ? [] : [own]), ...(isBelow(own, common) ? [] : [common])];
  const tops = isBelow(own, common) ? [common] : [own, common];
  const outside = listLed(tops, real).filter(
    (each) => !isBelow(each, own) && !isBelow(each, common),
  );
  return [...folders, ...outside];
}

/** Whether the repository that `.git` of a folder names knows that folder. Throws if that can't be told. */
export function knowsRoot({ own, root }: GitFolder): boolean {
  return isKnown(resolveFolder(own), resolveFolder(root), resolveFolder);
}

/** Whether the repository knows that this is a worktree of it, or its own work tree. */
function isKnown(own: string, root: string, real: (folder: string) => string): boolean {
  const back = readText(path.join(own, 'gitdir'))?.replace(/[\r\n]+$/, '');
  if (back === undefined) return isModule(own, root, real);
  return followName(own, back) === path.join(root, '.git');
}

/** The repository of a submodule lies in that of the work tree around it. */
function isModule(own: string, root: string, real: (folder: string) => string): boolean {
  const config = readText(path.join(own, 'config')) ?? '';
  const tree = /^[ \t]*worktree[ \t]*=[ \t]*([\w./-]+(?: [\w./-]+)*)[ \t\r]*$/m.exec(config)?.[1];
  const around = findGitFolder(path.dirname(root));
  if (tree === undefined || around === undefined) return false;
  const modules = path.join(real(around.common), 'modules');
  return followName(own, tree) === root && isBelow(own, modules);
}

/** What no reading command follows. */
const UNREAD: ReadonlySet<string> = new Set(['annex', 'hooks', 'lfs', 'rr-cache']);
/** The most folders of a repository that are looked at. */
const FOLDERS = 5_000;

/**
 * Where the links in these repositories lead, and the folders that files in them name: repositories, and those of which
 * they borrow objects. The same of what these are: borrowed objects may be borrowed themselves, and a link may lead to
 * a folder with links. `git status` prints lines of `rebase-merge/done`, and `git worktree list` what
 * `worktrees/x/locked` holds. Throws if there are too many folders.
 */
function listLed(
  repositories: readonly string[],
  real: (folder: string) => string,
): readonly string[] {
  const tops = new Set(repositories);
  const folders = new Set(repositories);
  const led = new Set<string>();
  let left = FOLDERS;
  // The set grows while it is looked through.
  for (const folder of folders) {
    // Each repository has as many folders of single objects.
    if (!OBJECTS.test(folder)) left -= 1;
    if (left < 0) throw new Error(`${folder} is one folder of too many.`);
    const { links, below, names } = listings.get(folder) ?? EMPTY;
    const skips = (name: string) => UNREAD.has(name) && isUnread(folder, name, tops);
    for (const name of below) if (!skips(name)) folders.add(path.join(folder, name));
    const targets = [
      ...links.filter((name) => !skips(name)).map((name) => real(path.join(folder, name))),
      ...(names.has('info') ? listBorrowed(folder).map(real) : []),
      ...(names.has('commondir') ? [findCommon(folder)] : []),
    ];
    for (const target of targets) {
      led.add(target);
      folders.add(target);
    }
  }
  return [...led];
}

/** Whether it is a folder of a repository that only hooks or other programs use, and none of another kind with that name. */
function isUnread(folder: string, name: string, tops: ReadonlySet<string>): boolean {
  if (tops.has(folder)) return true;
  const isModule = [...tops].some((top) => isBelow(folder, path.join(top, 'modules')));
  const hasHead = (each: string) => listings.get(each)?.names.has('head') === true;
  return isModule && hasHead(folder) && !hasHead(path.join(folder, name));
}

const OBJECTS = /[\\/]objects[\\/][\da-f]{2}$/;

interface Listing {
  /** The names of links, and of folders. */
  readonly links: readonly string[];
  readonly below: readonly string[];
  /** Which of the names that mean something are there, in lower case. */
  readonly names: ReadonlySet<string>;
}

const EMPTY: Listing = { links: [], below: [], names: new Set() };
const MEANING: ReadonlySet<string> = new Set(['head', 'info', 'commondir']);

const listings = createStatCache(listFolder, { kept: FOLDERS });

/** Throws if the name of a link or a folder isn't UTF-8, since it can't be looked up. */
function listFolder(folder: string, stats: Stats): Listing {
  if (!stats.isDirectory()) return EMPTY;
  const entries = readdirSync(folder, { withFileTypes: true });
  const leads = entries.filter((entry) => entry.isSymbolicLink() || entry.isDirectory());
  const names = new Set(
    entries.map(({ name }) => name.toLowerCase()).filter((name) => MEANING.has(name)),
  );
  if (leads.length + names.size === 0) return EMPTY;
  if (leads.some(({ name }) => name.includes(ODD)))
    throw new Error(`A name in ${folder} isn't UTF-8.`);
  const [links, below] = [true, false].map((link) =>
    leads.filter((entry) => entry.isSymbolicLink() === link).map(({ name }) => name),
  );
  return { links: links ?? [], below: below ?? [], names };
}

/** The folders that a folder of objects names. Throws for one in quotes, which git reads with escapes. */
function listBorrowed(store: string): readonly string[] {
  const lines = (readText(path.join(store, 'info', 'alternates')) ?? '').split('\n');
  const isUnclear = (line: string) => line.startsWith('"') || line.includes(ODD);
  if (lines.some(isUnclear)) throw new Error(`A folder that ${store} names is unclear.`);
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => path.resolve(store, line));
}
