import type { CompiledPolicy } from '../../../../permissions/rules/compiledPolicy.ts';
import {
  createTable,
  type FolderStamp,
  type FolderTable,
  replaceStamps,
} from '../../../../runtime/workers/folderTable.ts';
import { type FolderEntries, type FolderEntry, list } from './listing.ts';

/** What a look found below a folder. */
export interface FoundBelow {
  readonly entries: FolderEntries;
  /** What is hidden in each folder that holds such files, or the folder itself. */
  readonly hidden: ReadonlyMap<string, readonly string[]>;
}

/** The same, kept for the next look at the folder. */
export interface FolderTree extends FoundBelow, Pick<CompiledPolicy, 'rules' | 'scope'> {
  /** Its folders by their positions in the table. */
  readonly folders: readonly string[];
  readonly table: FolderTable;
}

/** What lies in one folder is hidden. */
export type FindIn = (folder: string, entry: FolderEntry) => readonly string[];

const trees = new Map<string, FolderTree>();

/** A workspace with fewer folders is looked through in less time than threads need to answer. */
const LEAST = 500;
const MOST_TREES = 8;

export function getTree(root: string): FolderTree | undefined {
  return trees.get(root);
}

/** Keeps what was found, if that is large enough to be worth it. */
export function keepTree(
  root: string,
  { entries, hidden }: FoundBelow,
  { rules, scope }: Pick<CompiledPolicy, 'rules' | 'scope'>,
): boolean {
  if (entries.size < LEAST) return trees.delete(root) && false;
  if (trees.size >= MOST_TREES) trees.clear();
  const stamps = new Map([...entries].map(([folder, entry]) => [folder, getStamp(entry)]));
  const table = createTable(stamps);
  trees.set(root, { entries, hidden, rules, scope, folders: [...entries.keys()], table });
  return true;
}

/**
 * The tree with what the changed folders hold now, by their positions. Undefined: it has other folders now, so it has to
 * be walked through.
 */
export function updateTree(
  root: string,
  tree: FolderTree,
  changed: readonly number[],
  findIn: FindIn,
): FoundBelow | undefined {
  if (changed.length === 0) return tree;
  const entries = new Map(tree.entries);
  const hidden = new Map(tree.hidden);
  const stamps = new Map<number, FolderStamp | undefined>();
  for (const at of changed) {
    const folder = tree.folders[at] ?? root;
    const entry = list(folder);
    if (entry === undefined || !hasSameFolders(tree.entries.get(folder), entry)) return undefined;
    entries.set(folder, entry);
    stamps.set(at, getStamp(entry));
    note(hidden, folder, findIn(folder, entry));
  }
  const updated = { ...tree, entries, hidden, table: replaceStamps(tree.table, stamps) };
  trees.set(root, updated);
  return updated;
}

function hasSameFolders(before: FolderEntry | undefined, now: FolderEntry): boolean {
  if (before === undefined || before === 'closed' || now === 'closed') return before === now;
  const { folders } = before;
  return (
    folders.length === now.folders.length && now.folders.every((each, at) => each === folders[at])
  );
}

export function note(
  hidden: Map<string, readonly string[]>,
  folder: string,
  files: readonly string[],
): void {
  if (files.length > 0) hidden.set(folder, files);
  else hidden.delete(folder);
}

function getStamp(entry: FolderEntry): FolderStamp | undefined {
  return entry === 'closed' ? undefined : entry.stamp;
}
