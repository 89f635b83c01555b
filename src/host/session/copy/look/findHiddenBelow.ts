import { resolvePath } from '../../../../permissions/patterns/paths.ts';
import type { CompiledPolicy } from '../../../../permissions/rules/compiledPolicy.ts';
import type { FolderChecker } from '../../../../runtime/workers/folderChecker.ts';
import { type FolderEntries, type FolderEntry, findHidden, list } from './listing.ts';
import { type FolderTree, type FoundBelow, getTree, keepTree, note, updateTree } from './tree.ts';

export interface FolderLook {
  readonly root: string;
  readonly compiled: CompiledPolicy;
  /** It lies outside of the workspace, where less is hidden. */
  readonly isOutside?: true;
  /** Absent: no rule hides anything. */
  readonly hides: ((file: string) => boolean) | undefined;
  /** Absent: nothing of the last look is used. */
  readonly checker?: FolderChecker | undefined;
}

/** The hidden files below a folder, and what its folders held. Looks again while hidden files are moved or deleted. */
export async function findHiddenBelow(
  look: FolderLook,
  signal: AbortSignal,
): Promise<{ readonly masks: readonly string[]; readonly entries: FolderEntries }> {
  const known = look.checker && findTree(look);
  let before = known ? listMasks(known) : [];
  for (let left = LOOKS; left > 0; left -= 1) {
    const found = await lookOnce(look, signal);
    if (found === undefined) continue;
    const masks = listMasks(found);
    // One that was moved may be in a folder that was looked at before.
    const there = new Set(masks);
    if (before.every((file) => there.has(file))) return { masks, entries: found.entries };
    before = masks;
  }
  throw new Error(`The folders of ${look.root} are moved all the time.`);
}

/** How often it looks before it gives up. */
const LOOKS = 5;

function listMasks({ hidden }: FoundBelow): readonly string[] {
  return [...hidden.values()].flat();
}

/** What the last look found under the same rules. */
function findTree({ root, compiled }: FolderLook): FolderTree | undefined {
  const tree = getTree(root);
  const isSame = tree?.rules === compiled.rules && tree.scope === compiled.scope;
  return isSame ? tree : undefined;
}

/** Undefined when a folder was moved or deleted during the look: its files may be somewhere else now. */
async function lookOnce(look: FolderLook, signal: AbortSignal): Promise<FoundBelow | undefined> {
  const { root, compiled, checker } = look;
  if (checker === undefined) return walk(look, new Map(), signal);
  const tree = getTree(root);
  const changed = tree && (await checker.findChanged(tree.table, signal));
  if (tree !== undefined && changed !== undefined) {
    // More are looked at in turns.
    const isUsable = findTree(look) === tree && changed.length <= CHECKED;
    const updated = isUsable && updateTree(root, tree, changed, (...each) => findIn(look, ...each));
    if (updated) return updated;
  }
  const found = await walk(look, changed ? leaveOut(tree, changed) : new Map(), signal);
  if (found !== undefined && keepTree(root, found, compiled)) checker.warm();
  return found;
}

function leaveOut(tree: FolderTree | undefined, changed: readonly number[]): FolderEntries {
  const entries = new Map(tree?.entries);
  for (const at of changed) entries.delete(tree?.folders[at] ?? '');
  return entries;
}

/** `unchanged`: folders that need not be looked at. */
async function walk(
  look: FolderLook,
  unchanged: FolderEntries,
  signal: AbortSignal,
): Promise<FoundBelow | undefined> {
  const { root } = look;
  const entries = new Map<string, FolderEntry>();
  const hidden = new Map<string, readonly string[]>();
  const folders = [root];
  let since = performance.now();
  for (let at = 0; at < folders.length; at += 1) {
    if (at % CHECKED === 0 && performance.now() - since > BURST_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      since = performance.now();
    }
    const folder = folders[at] ?? root;
    const entry = unchanged.get(folder) ?? list(folder);
    if (entry === undefined) return undefined;
    entries.set(folder, entry);
    note(hidden, folder, findIn(look, folder, entry));
    if (entry === 'closed') continue;
    for (const each of entry.folders) folders.push(each);
  }
  return { entries, hidden };
}

/** How long it looks before other work of the host gets its turn, and how many folders between two checks. */
const BURST_MS = 10;
const CHECKED = 50;

/** What is hidden of a folder: files of it, or all of it, since a command could open what the user has closed. */
function findIn({ compiled, hides, isOutside }: FolderLook, folder: string, entry: FolderEntry) {
  if (hides === undefined) return [];
  if (entry === 'closed') return [folder];
  const hidden = findHidden(folder, entry, isOutside ? { hides } : { hides, compiled });
  if (hidden.length > 0) expectOneSpelling(folder, compiled);
  return hidden;
}

/** What is laid over a file covers the name that its folder lists. Another spelling may open the file itself. */
function expectOneSpelling(folder: string, { policy }: CompiledPolicy): void {
  const resolved = resolvePath(folder, { cwd: undefined, platform: policy.platform });
  if (!resolved.ok || resolved.folds !== true) return;
  throw new Error(
    `Rules hide files in ${folder}, and other spellings of their names open them, too.`,
  );
}
