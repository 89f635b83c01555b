import { readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../base/disk/statCache.ts';
import { isBelow, type LinkCache, realFolder } from '../patterns/paths.ts';
import { findGitFolder, type GitFolder, openGitFolder, readText } from './gitFolder.ts';
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
  const real = (folder: string) => realFolder(folder, process.platform, cache);
  const [own, common] = [real(git.own), real(git.common)];
  const isOwn = isBelow(own, path.join(git.root, '.git')) || isKnown(own, git.root, real);
  const folders = [...(isOwn ? [] : [own]), ...(isBelow(own, common) ? [] : [common])];
  const tops = isBelow(own, common) ? [common] : [own, common];
  const outside = listLed(tops, common, real).filter(
    (each) => !isBelow(each, own) && !isBelow(each, common),
  );
  return [...folders, ...outside];
}

/** Whether the repository knows that this is a worktree of it, or its own work tree. */
function isKnown(own: string, root: string, real: (folder: string) => string): boolean {
  const back = readText(path.join(own, 'gitdir'))?.replace(/[\r\n]+$/, '');
  if (back === undefined) return isModule(own, root, real);
  return real(path.resolve(own, back)) === path.join(root, '.git');
}

/** The repository of a submodule lies in that of the work tree around it. */
function isModule(own: string, root: string, real: (folder: string) => string): boolean {
  const config = readText(path.join(own, 'config')) ?? '';
  const tree = /^[ \t]*worktree[ \t]*=[ \t]*([\w./-]+(?: [\w./-]+)*)[ \t\r]*$/m.exec(config)?.[1];
  const around = findGitFolder(path.dirname(root));
  if (tree === undefined || around === undefined) return false;
  const modules = path.join(real(around.common), 'modules');
  return real(path.resolve(own, tree)) === root && isBelow(own, modules);
}

/**
 * Where the links in these folders lead, and the folders of which the repository borrows objects; the same of what
 * these are: borrowed objects may be borrowed themselves, and a link may lead to a folder with links.
 */
function listLed(
  tops: readonly string[],
  common: string,
  real: (folder: string) => string,
): readonly string[] {
  const folders = new Set(tops);
  const stores = new Set([path.join(common, 'objects')]);
  const led = new Set<string>();
  const follow = (target: string) => {
    led.add(target);
    folders.add(target);
  };
  // Both sets grow while they are looked through.
  for (const store of stores) {
    for (const target of listBorrowed(store).flatMap((each) => [each, real(each)])) {
      stores.add(target);
      follow(real(target));
    }
    // Git resolves a relative path from the real folder.
    stores.add(real(store));
    if (stores.size > FOLDERS) throw new Error(`${common} borrows from too many repositories.`);
  }
  const budget = { left: FOLDERS };
  for (const folder of folders) for (const link of listLinks(folder, budget)) follow(real(link));
  return [...led];
}

/** What no reading command follows. */
const UNREAD: ReadonlySet<string> = new Set(['annex', 'hooks', 'lfs', 'rr-cache']);
/** The most folders of a repository that are looked at. */
const FOLDERS = 5_000;

/**
 * The links in a folder of git and below it: `git status` prints lines of `rebase-merge/done`, and
 * `git worktree list` what `worktrees/x/locked` holds. Throws if there are too many folders.
 */
function listLinks(top: string, budget: { left: number }): readonly string[] {
  const links: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    // Each repository has as many folders of single objects.
    if (!OBJECTS.test(folder)) budget.left -= 1;
    if (budget.left < 0) throw new Error(`${top} has too many folders.`);
    const found = listings.get(folder);
    links.push(...(found?.links ?? []));
    folders.push(...(found?.folders ?? []));
  }
  return links;
}

const OBJECTS = /[\\/]objects[\\/][\da-f]{2}$/;

interface Listing {
  readonly links: readonly string[];
  readonly folders: readonly string[];
}

const EMPTY: Listing = { links: [], folders: [] };

/** The links in a folder, and the folders in it. */
const listings = createStatCache(listFolder, { kept: FOLDERS });

function listFolder(folder: string, stats: Stats): Listing {
  if (!stats.isDirectory()) return EMPTY;
  const entries = readdirSync(folder, { withFileTypes: true });
  const isRepository = entries.some(({ name }) => name === 'HEAD');
  const counts = (name: string) => !(isRepository && UNREAD.has(name));
  const toPaths = (found: typeof entries) =>
    found.filter(({ name }) => counts(name)).map(({ name }) => path.join(folder, name));
  const links = toPaths(entries.filter((entry) => entry.isSymbolicLink()));
  const folders = toPaths(entries.filter((entry) => entry.isDirectory()));
  return links.length + folders.length === 0 ? EMPTY : { links, folders };
}

/** The folders that a folder of objects names. Throws for one in quotes, which git reads with escapes. */
function listBorrowed(store: string): readonly string[] {
  const lines = (readText(path.join(store, 'info', 'alternates')) ?? '').split('\n');
  if (lines.some((line) => line.startsWith('"'))) throw new Error(`${store} quotes a folder.`);
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => path.resolve(store, line));
}
