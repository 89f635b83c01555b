import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { MB } from '../../base/units.ts';
import type { EntryChange, EntryRecord, EntryVersion } from '../entries.ts';
import { toStamp } from '../files/stamp.ts';

/** Bytes of a file that are kept with a change; a larger one can't be restored. */
const KEPT_BYTES = 64 * MB;

/** What an entry is now. The content of a file is read as far as it can be kept. */
export function readVersion(entry: string, stats: Stats | undefined): EntryVersion {
  if (stats === undefined) return { type: 'none' };
  const mode = stats.mode & 0o7777;
  if (stats.isDirectory()) return { type: 'folder', mode };
  if (stats.isSymbolicLink()) return { type: 'link', target: readlinkSync(entry) };
  const read = stats.isFile() ? readRegular(entry, KEPT_BYTES) : undefined;
  if (read?.state !== 'read') return { type: 'file', mode, hash: '' };
  return { type: 'file', mode, hash: toHash(read.bytes), content: read.bytes };
}

/** SHA-256 as hex. */
export function toHash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** See `Entries.toUndoing`. */
export function toUndoing(
  { path, before, after }: EntryRecord,
  removed?: ReadonlySet<string>,
): EntryChange | 'undone' | 'conflict' | 'lost' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const now = readVersion(path, stats);
  if (before.type === 'mode') return toModeUndoing({ path, before, after }, stats);
  if (isSame(now, before)) return 'undone';
  if (!isSame(now, after)) return 'conflict';
  if (removed && now.type === 'folder' && !isEmptied(path, removed)) return 'conflict';
  const found = stats?.isDirectory() ? 'folder' : stats && toStamp(stats);
  const bytes = now.type === 'file' && now.content ? { bytes: now.content } : {};
  const undo = (to: EntryChange['after']) => ({ path, before: found, ...bytes, after: to });
  if (before.type !== 'file') return undo(before);
  const { content, mode } = before;
  return content === undefined ? 'lost' : undo({ type: 'file', content, mode });
}

function isEmptied(folder: string, removed: ReadonlySet<string>): boolean {
  return readdirSync(folder).every((name) => removed.has(join(folder, name)));
}

function toModeUndoing(
  { path, before, after }: EntryRecord,
  stats: Stats | undefined,
): EntryChange | 'undone' | 'conflict' {
  // The change that removed or created the file is undone by itself.
  if (stats === undefined) return 'undone';
  if (before.type !== 'mode' || stats.isSymbolicLink()) return 'conflict';
  const mode = stats.mode & 0o7777;
  if (mode === before.mode) return 'undone';
  if (after.type === 'mode' && mode !== after.mode) return 'conflict';
  const found = stats.isDirectory() ? 'folder' : 'file';
  return { path, before: found, after: before };
}

/** Whether both are the same entry; the mode of a link means nothing. */
function isSame(now: EntryVersion, other: EntryVersion): boolean {
  switch (other.type) {
    case 'none':
      return now.type === 'none';
    case 'link':
      return now.type === 'link' && now.target === other.target;
    case 'folder':
      return now.type === 'folder';
    case 'file':
      return now.type === 'file' && now.hash === other.hash && now.hash !== '';
    case 'mode':
      return true;
  }
}
