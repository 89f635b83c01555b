import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { getHeads, getTails, type PathPattern } from '../patterns/pathPattern.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import type { Evaluation, InodeIndex } from './evaluation.ts';

/**
 * A file with several hard links, with those of its other names that a rule, or what is protected,
 * may be about: who forbids `.env` forbids `notes.txt` when that is the same file. Names are looked
 * for where rules say they lie, beside the file, in the roots and in the host's state; all of them
 * would take a search of the whole disk.
 */
export function withOtherNames<Given extends RealPath>(place: Given, compiled: Evaluation): Given {
  const { inode, path, names = [] } = place;
  if (inode === undefined) return place;
  const index = getIndex(compiled);
  index.scan(posix.dirname(path));
  for (const folder of foldersAbove(path, compiled)) {
    for (const tail of index.tails) index.lookAt(`${folder}/${tail}`);
  }
  const others = index.find(`${inode.dev}:${inode.ino}`).filter((each) => each !== path);
  return others.length === 0 ? place : { ...place, names: [...names, ...others] };
}

/** Entries looked at for one decision. */
const ENTRY_LIMIT = 10_000;
/** Folders above a file in which what `**` + `/name` means is looked for. */
const FOLDER_LIMIT = 16;

/** Folders of a root that hold files nobody writes unasked (protected.ts). */
const GUARDED = [
  '',
  '.git',
  '.git/hooks',
  '.vscode',
  '.claude',
  '.agents',
  '.gatehouse',
  '.husky',
  '.devcontainer',
  '.idea',
];

/** The folders above the file, up to its root. */
function foldersAbove(path: string, { roots, policy }: Evaluation): readonly string[] {
  const root = roots.workspace.find((each) => isBelowFolded(path, each, policy.platform));
  const folders: string[] = [];
  let folder = posix.dirname(path);
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
    // On Windows a pattern's names start at the drive.
    const place = head.replace(/^\/(?=[a-z]:\/)/, '');
    const wide = workspace.some((root) => isBelowFolded(root, place, compiled.policy.platform));
    if (wide) index.scan(place);
    else index.lookAt(place);
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
    lookAt: (path) => once(path, () => add(path, true)),
    scan: (folder) => once(`${folder}/`, () => list(folder, false)),
  };
}

function tryStat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at cannot be opened by this name either.
    return undefined;
  }
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not ours to list: no name can be learnt here.
    return [];
  }
}
