import { type BigIntStats, lstatSync } from 'node:fs';
import { getCode } from '../../../base/faults.ts';
import type { CopyChange } from './changes.ts';

/** What became of the workspace's own entry. */
export type Meanwhile = 'changed' | 'created' | 'deleted';

/**
 * Changes whenever the entry is written, replaced or gets another mode. What comes to or leaves a folder changes the
 * folder's times, and is nothing of the folder itself.
 */
export function toOwnStamp(own: BigIntStats): string {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = own;
  if (own.isDirectory()) return [dev, ino, mode].join(':');
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(':');
}

/** Identifies a folder by device and inode: changes of its entries keep it, and a folder that replaced it has another. */
export function toFolderId({ dev, ino }: { dev: number | bigint; ino: number | bigint }): string {
  return `${Number(dev)}:${Number(ino)}`;
}

/**
 * What became of the workspace's own entry since the change was listed; undefined: nothing. What was read of it before
 * this call is what it was then.
 */
export function findMeanwhile({
  file,
  stamp,
}: Pick<CopyChange, 'file' | 'stamp'>): Meanwhile | undefined {
  const own = tryToFind(file);
  if (own === 'unreadable') return 'changed';
  if (own === undefined) return stamp === undefined ? undefined : 'deleted';
  if (stamp === undefined) return 'created';
  return toOwnStamp(own) === stamp ? undefined : 'changed';
}

/** The user may have closed the folder. */
function tryToFind(file: Buffer): BigIntStats | undefined | 'unreadable' {
  try {
    return findEntry(file);
  } catch {
    return 'unreadable';
  }
}

/** The entry itself, where a link may stand; undefined where there is none. */
export function findEntry(file: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true });
  } catch (fault) {
    if (['ENOENT', 'ENOTDIR'].includes(getCode(fault) ?? '')) return undefined;
    throw fault;
  }
}
