import { numberAt } from '../../rows.ts';
import type { IndexFile } from './indexFile.ts';

// A row that is deleted from a full-text index stays in its segments until they are merged, so all of them
// are merged once a session was deleted. The state is stored, so that a killed host's purge is gone on with.

/** So many pages of the index are written in one step, which takes a few milliseconds. */
const PAGES = 64;

const BEGUN = 1;
const MERGING = 2;
const MERGED = 3;

export const PURGE_SCHEMA = 'CREATE TABLE purge (id INTEGER PRIMARY KEY, state INTEGER NOT NULL)';

/** Call it in the transaction that drops text of a deleted session. */
export function beginPurge(index: IndexFile): void {
  setState(index, BEGUN);
}

/** Merges what is left of deleted text away, in steps. `endPurge` does the rest. */
export function* purging(index: IndexFile): Generator<void> {
  if (readState(index) === BEGUN) {
    // A negative number begins to merge all segments into one.
    merge(index, -PAGES);
    setState(index, MERGING);
    yield;
  }
  if (readState(index) !== MERGING) return;
  while (merge(index, PAGES)) yield;
  setState(index, MERGED);
}

/** Empties the log, outside of a transaction. False when another window is reading: try again later. */
export function endPurge(index: IndexFile): boolean {
  if (readState(index) !== MERGED) return true;
  if (!index.emptyLog()) return false;
  index.run('DELETE FROM purge WHERE state = ?', MERGED);
  return true;
}

/** Whether there was something to merge. */
function merge(index: IndexFile, pages: number): boolean {
  const before = countChanges(index);
  index.run("INSERT INTO words (words, rank) VALUES ('merge', ?)", pages);
  // The command itself counts as one.
  return countChanges(index) - before >= 2;
}

function countChanges(index: IndexFile): number {
  return numberAt(index.get('SELECT total_changes() AS count') ?? {}, 'count');
}

function readState(index: IndexFile): number | undefined {
  const row = index.get('SELECT state FROM purge');
  return row === undefined ? undefined : numberAt(row, 'state');
}

function setState(index: IndexFile, state: number): void {
  index.run('INSERT OR REPLACE INTO purge VALUES (1, ?)', state);
}
