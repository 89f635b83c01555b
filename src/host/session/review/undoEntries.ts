import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { StoredEntryChange } from '../../../recorder/changes.ts';
import type { Entries } from '../../../runtime/entries.ts';

/** The entries that were changed since the call. Fails when the content of one is not kept. */
export function findChanged(
  entries: readonly StoredEntryChange[],
  runtime: Entries,
): Outcome<readonly string[]> {
  const lost = entries.find((each) => runtime.toUndoing(each) === 'lost');
  if (lost !== undefined) {
    return failure(
      `The content of ${lost.path} was too large to be kept, or made room for that of newer changes. Nothing was reverted.`,
    );
  }
  const changed = entries.filter((each) => runtime.toUndoing(each) === 'conflict');
  return success([...new Set(changed.map(({ path }) => path))]);
}

/**
 * Whether an entry is restored before the texts are: a folder that they lie in, and a mode that may keep them from
 * being written.
 */
export function isBeforeTexts({ before, after }: StoredEntryChange): boolean {
  return before.type === 'folder' || (before.type === 'mode' && after.type === 'mode');
}

/**
 * Makes the entries that `isWanted` selects what they were, the last change first. Fails at the first that can't be
 * restored, and names those that were.
 */
export async function undoEntries(
  entries: readonly StoredEntryChange[],
  isWanted: (entry: StoredEntryChange) => boolean,
  runtime: Entries,
): Promise<Outcome<readonly string[]>> {
  const done: string[] = [];
  for (const entry of entries.filter(isWanted).reverse()) {
    const undoing = runtime.toUndoing(entry);
    if (undoing === 'undone') continue;
    const undone =
      typeof undoing === 'string'
        ? failure(`${entry.path} changed meanwhile.`)
        : await runtime.change(undoing);
    if (!undone.ok) return failure(withDone(undone.error, done));
    done.push(entry.path);
  }
  return success(done);
}

function withDone(error: string, done: readonly string[]): string {
  return done.length === 0 ? error : `${error} Already reverted: ${done.join(', ')}.`;
}
