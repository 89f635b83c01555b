import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { getHeads, getTails, matchesPath, type PathPattern } from '../patterns/pathPattern.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import { IN_GITHUB, PROTECTED_FOLDERS } from '../rules/protected.ts';
import type { Evaluation, InodeIndex } from './evaluation.ts';

/**
 * Adds the other names of a file with several hard links, so that a rule for `.env`, or a protected
 * name, also applies to `notes.txt` when both are the same file. Only looks where rules expect
 * their names, next to the file, in the workspace roots and in the host's state. Finding every name
 * would need a search of the whole disk.
 */
export function withOtherNames<Given extends RealPath>(file: Given, compiled: Evaluation): Given {
  const { inode, path, names = [] } = file;
  if (inode === undefined) return file;
  const index = getIndex(compiled);
  index.scan(posix.dirname(path));
  for (const folder of foldersAbove(path, compiled)) {
    for (const tail of index.tails) index.lookAt(`${folder}/${tail}`);
  }
  const others = index.find(`${inode.dev}:${inode.ino}`).filter((each) => each !== path);
  return others.length === 0 ? file : { ...file, names: [...names, ...others] };
}

/**
 * The inodes (`dev:ino`) of files with several hard links that ask and deny rules name next to a
 * folder, above it, in a root or in the folder that the rule begins with. Looks only there, because
 * it runs for each sweep.
 */
export function findLinkedInodes(
  folder: string,
  access: 'fs.read' | 'fs.write',
  compiled: Evaluation,
): ReadonlySet<string> {
  const { fileRules, roots, policy } = compiled;
  const rules = fileRules[access].all.filter(({ rule }) => rule.action !== 'allow');
  const patterns = rules.flatMap((rule) => rule.path() ?? []);
  const root = roots.workspace.find((each) => isBelowFolded(folder, each, policy.platform));
  const above = [...new Set([...foldersUp(folder, root), ...roots.workspace])];
  const tails = [...new Set(patterns.flatMap(getTails))].slice(0, NAME_LIMIT);
  const literals = patterns.flatMap(({ literals: paths }) => [...paths]).slice(0, NAME_LIMIT);
  const found = new Set<string>();
  for (const path of [
    ...literals,
    ...above.flatMap((each) => tails.map((tail) => `${each}/${tail}`)),
  ]) {
    const stats = tryStat(path);
    if (stats?.isFile() && stats.nlink > 1) found.add(`${stats.dev}:${stats.ino}`);
  }
  const isNamed = (path: string) =>
    patterns.some((pattern) => matchesPath(pattern, path, policy.platform));
  for (const [inode, paths] of getIndex(compiled).all)
    if ([...paths].some(isNamed)) found.add(inode);
  return found;
}

/** Maximum number of names of rules that are looked up in each folder. */
const NAME_LIMIT = 64;

/** Maximum number of directory entries looked at for one decision. */
const ENTRY_LIMIT = 10_000;
/**
 * Maximum number of parent folders of a file in which the names of `**` + `/name` patterns are
 * looked up.
 */
const FOLDER_LIMIT = 16;

/** Folders of a workspace root that contain protected files (protected.ts). */
const GUARDED = [
  '',
  '.git/hooks',
  ...PROTECTED_FOLDERS,
  ...IN_GITHUB.map((each) => `.github/${each}`),
  ...['gatehouse', 'Code/User', 'Code - Insiders/User', 'VSCodium/User'].map(
    (each) => `.config/${each}`,
  ),
];

/** The parent folders of the file, up to its workspace root. */
function foldersAbove(path: string, { roots, policy }: Evaluation): readonly string[] {
  const root = roots.workspace.find((each) => isBelowFolded(path, each, policy.platform));
  return foldersUp(posix.dirname(path), root);
}

function foldersUp(from: string, root: string | undefined): readonly string[] {
  const folders: string[] = [];
  let folder = from;
  while (folder !== root && folder !== posix.dirname(folder) && folders.length < FOLDER_LIMIT) {
    folders.push(folder);
    folder = posix.dirname(folder);
  }
  return folders;
}

function getIndex(compiled: Evaluation): InodeIndex {
  const known = compiled.otherNames.index;
  if (known !== undefined) return known;
  const patterns = tightPatterns(compiled);
  const index = createIndex(new Set(patterns.flatMap(getTails)));
  compiled.otherNames.index = index;
  const { workspace, state } = compiled.roots;
  for (const head of patterns.flatMap(getHeads)) {
    // On Windows the first name of a pattern is the drive.
    const path = head.replace(/^\/(?=[a-z]:\/)/, '');
    const wide = workspace.some((root) => isBelowFolded(root, path, compiled.policy.platform));
    if (wide) index.scan(path);
    else index.lookAt(path);
  }
  for (const root of workspace) {
    for (const name of GUARDED) index.scan(posix.join(root, name));
    for (const tail of index.tails) index.lookAt(`${root}/${tail}`);
  }
  if (state !== undefined) index.scan(state);
  return index;
}

function tightPatterns({ fileRules }: Evaluation): readonly PathPattern[] {
  const rules = [...fileRules['fs.read'].all, ...fileRules['fs.write'].all];
  const patterns = rules.map((each) => (each.rule.action === 'allow' ? undefined : each.path()));
  return [...new Set(patterns)].filter((each) => each !== undefined);
}

function createIndex(tails: ReadonlySet<string>): InodeIndex {
  const found = new Map<string, Set<string>>();
  const seen = new Set<string>();
  let left = ENTRY_LIMIT;
  const add = (path: string, deep: boolean) => {
    left -= 1;
    const stats = left < 0 ? undefined : tryStat(path);
    if (stats?.isDirectory() && deep) list(path, true);
    if (!stats?.isFile() || stats.nlink < 2) return;
    const key = `${stats.dev}:${stats.ino}`;
    const names = found.get(key);
    if (names === undefined) found.set(key, new Set([path]));
    else names.add(path);
  };
  const list = (folder: string, deep: boolean) => {
    for (const entry of readEntries(folder)) {
      if (entry.isFile() || (deep && entry.isDirectory())) add(`${folder}/${entry.name}`, deep);
    }
  };
  const once = (key: string, look: () => void) => {
    if (seen.has(key)) return;
    seen.add(key);
    look();
  };
  return {
    tails,
    find: (inode) => [...(found.get(inode) ?? [])],
    all: found,
    lookAt: (path) => once(path, () => add(path, true)),
    scan: (folder) => once(`${folder}/`, () => list(folder, false)),
  };
}

function tryStat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file that can't be looked up can't be opened by this name either.
    return undefined;
  }
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder doesn't exist or can't be listed, so it adds no names.
    return [];
  }
}
