import type { BigIntStats } from 'node:fs';
import { findEntry, toFolderId } from './meanwhile.ts';
import type { CopiedFolder } from './readChanges.ts';

/** Knows which entries of a workspace folder came there, with older times, by a move of a folder. */
export interface FolderMoves {
  /**
   * Whether the workspace's own entry, or a folder above it, was moved to its place after this time. What lies in a
   * moved folder keeps its times, so that nothing else tells it from what the command saw.
   */
  has(file: Buffer, own: BigIntStats, since: bigint): boolean;
}

export function createFolderMoves({
  folder,
  had,
}: Pick<CopiedFolder, 'folder' | 'had'>): FolderMoves {
  const changed = new Map<string, bigint>();
  const moved = new Map<string, boolean>();
  const toOwn = (file: Buffer) =>
    file.length === 0 ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), file]);
  const find = (file: Buffer) => findEntry(toOwn(file));
  /** When entries last came to or left the folder, or one above it. */
  const whenChanged = (file: Buffer): bigint =>
    remember(changed, file, () => {
      const own = find(file)?.ctimeNs ?? 0n;
      const above = file.length === 0 ? 0n : whenChanged(toParent(file));
      return own > above ? own : above;
    });
  /** Whether the folder is another one than when the command began, or lies in such a one. */
  const isMoved = (file: Buffer): boolean =>
    remember(moved, file, () => {
      const own = find(file);
      if (own && had(toOwn(file).toString(), toFolderId(own)) === false) return true;
      return file.length > 0 && isMoved(toParent(file));
    });
  return {
    has(file, own, since) {
      if (whenChanged(toParent(file)) <= since) return false;
      if (own.isDirectory()) return isMoved(file);
      return had(toOwn(file).toString()) === false || isMoved(toParent(file));
    },
  };
}

function remember<Value>(known: Map<string, Value>, file: Buffer, find: () => Value): Value {
  // One character a byte, so that names that are not UTF-8 stay different.
  const key = file.toString('latin1');
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}

/** The folder itself for a file at the top. */
function toParent(file: Buffer): Buffer {
  return file.subarray(0, Math.max(file.lastIndexOf('/'), 0));
}
