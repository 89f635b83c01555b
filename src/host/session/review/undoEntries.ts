import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { isKept, type StoredEntry, type StoredEntryChange } from '../../../recorder/entries.ts';
import type { Entries } from '../../../runtime/entries.ts';

/**
 * The entries that were changed since the call. Fails when the content of one is not kept. `texts`: the text files that
 * are removed along with them.
 */
export function findChanged(
  entries: readonly StoredEntryChange[],
  texts: readonly string[],
  runtime: Entries,
): Outcome<readonly string[]> {
  const removed = new Set(texts);
  for (const entry of entries) {
    const undoing = runtime.toUndoing(entry);
    if (undoing === 'lost') {
      return failure(`${describeLostContent([entry.path])} Nothing was reverted.`);
    }
    if (typeof undoing !== 'string' && undoing.after.type === 'none') removed.add(entry.path);
  }
  const changed = entries.filter((each) => runtime.toUndoing(each, removed) === 'conflict');
  return success([...new Set(changed.map(({ path }) => path))]);
}

/** The paths whose content before is not kept, where something else is now. */
export function findLost(
  entries: readonly StoredEntryChange[],
  runtime: Entries,
): readonly string[] {
  const lost = entries.filter((each) => !isKept(each) && runtime.toUndoing(each) === 'lost');
  return [...new Set(lost.map(({ path }) => path))];
}

/** Why these could not be restored, for the user. */
export function describeLostContent(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).join(', ');
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `The content of ${shown}${more} was too large to be kept, or made room for that of newer changes.`;
}

/** The most files that one sentence names. */
const NAMED = 20;

/**
 * One change for those of a path that follow each other: from what was there first to what is there last. Changes with
 * something else between them stay apart, since undoing them would undo that too; so do changes of modes.
 */
export function joinEntries<T extends StoredEntryChange>(entries: readonly T[]): readonly T[] {
  const joined: T[] = [];
  const latest = new Map<string, number>();
  for (const entry of entries) {
    const key = `${entry.before.type === 'mode'} ${entry.path}`;
    const at = latest.get(key);
    const last = at === undefined ? undefined : joined[at];
    if (at !== undefined && last && toState(last.after) === toState(entry.before)) {
      joined[at] = { ...last, after: entry.after };
    } else {
      latest.set(key, joined.length);
      joined.push(entry);
    }
  }
  return joined;
}

/** What is there, without reading it. A file that was too large to be read is like no other. */
function toState(entry: StoredEntry): unknown {
  if (entry.type !== 'file') return JSON.stringify(entry);
  return entry.hash === '' ? Symbol('unknown') : `${entry.hash} ${entry.mode}`;
}

/**
 * Whether an entry is restored before the texts are: a folder that they lie in, and a mode that may keep them from
 * being written.
 */
export function isBeforeTexts({ before, after }: StoredEntryChange): boolean {
  return before.type === 'folder' || (before.type === 'mode' && after.type === 'mode');
}

/**
 * Makes the entries that `isWanted` selects what they were, the last change first, and adds their paths to `done`. Fails
 * at the first that can't be restored.
 */
export async function undoEntries(
  entries: readonly StoredEntryChange[],
  isWanted: (entry: StoredEntryChange) => boolean,
  runtime: Entries,
  done: Set<string>,
): Promise<Outcome<void>> {
  for (const entry of entries.filter(isWanted).reverse()) {
    const undoing = runtime.toUndoing(entry);
    if (undoing === 'undone') continue;
    const undone =
      typeof undoing === 'string'
        ? failure(`${entry.path} changed meanwhile.`)
        : await runtime.change(undoing);
    if (!undone.ok) return undone;
    done.add(entry.path);
  }
  return success(undefined);
}
