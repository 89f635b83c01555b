import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCode } from '../../../base/faults.ts';
import { remakeFolder } from './dropChange.ts';

/** What an upper folder holds without differing from the workspace. All paths are relative to it, in bytes. */
export interface Unneeded {
  /** Files and links with the workspace's own content, and marks of deleted files that the workspace doesn't have. */
  readonly entries: readonly Buffer[];
  /** Folders that both sides have, parents first. */
  readonly merged: readonly Buffer[];
  /** Those of them that hide something that the workspace has there: they were removed and made anew. */
  readonly hiding: readonly Buffer[];
  /** Those of them that have another mode. */
  readonly modes: readonly Buffer[];
}

/**
 * Takes out of the upper folder what doesn't differ, so that later commands see the workspace's own files there, also
 * when these have changed by then. What lies in a folder at the top that hides something stays, and so does what lies
 * in a folder that a command made read-only. The event loop gets its turns.
 */
export async function refreshCopy(upper: string, unneeded: Unneeded): Promise<void> {
  const { entries, merged, hiding, modes } = unneeded;
  const kept = new Set(hiding.map(toTop));
  const isFresh = (file: Buffer) => !kept.has(toTop(file));
  const touched = new Set<string>();
  for (const [at, file] of entries.filter(isFresh).entries()) {
    if (at % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
    if (!allow(() => unlinkSync(toUpper(upper, file)))) continue;
    for (let up = toParent(file); up !== undefined; up = toParent(up)) touched.add(toKey(up));
  }
  const changed = new Set(modes.map(toKey));
  for (const [at, folder] of [...merged].reverse().filter(isFresh).entries()) {
    if (at % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
    const file = toUpper(upper, folder);
    const key = toKey(folder);
    allow(() => {
      if (!changed.has(key) && readdirSync(file).length === 0) rmdirSync(file);
      // One that was made anew would hide what was taken out of it.
      else if (touched.has(key)) remakeFolder(file);
    });
  }
}

const ENTRIES_A_TURN = 200;

/**
 * False where the permissions that the command gave don't let it be done, and where there is no such entry: what lay
 * in a deleted folder has none of its own.
 */
function allow(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (fault) {
    if (REFUSED.has(getCode(fault) ?? '')) return false;
    throw fault;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR']);

/** Removes the folders above an entry that was dropped, as far as they are empty and the workspace has them. */
export function dropEmptyParents(file: Buffer, copy: Buffer, folder: string): void {
  const root = copy.length - (file.length - Buffer.byteLength(folder));
  for (let end = copy.lastIndexOf('/'); end > root; end = copy.lastIndexOf('/', end - 1)) {
    const parent = copy.subarray(0, end);
    const own = file.subarray(0, file.length - (copy.length - end));
    try {
      // Fails where there is none, as for a folder that only the copy has.
      readdirSync(own);
      rmdirSync(parent);
    } catch (fault) {
      if (['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EACCES'].includes(getCode(fault) ?? '')) return;
      throw fault;
    }
  }
}

function toUpper(upper: string, file: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${upper}/`), file]);
}

/** The first name of a path below a folder at the top; a file at the top has none. */
function toTop(file: Buffer): string {
  return toKey(file).split('/', 1)[0] ?? '';
}

function toParent(file: Buffer): Buffer | undefined {
  const end = file.lastIndexOf('/');
  return end < 0 ? undefined : file.subarray(0, end);
}

/** One character a byte, so that names that are not UTF-8 stay different. */
function toKey(name: Buffer): string {
  return name.toString('latin1');
}
