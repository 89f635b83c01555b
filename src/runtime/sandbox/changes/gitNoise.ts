import path from 'node:path';
import { readRegular } from '../../../base/disk/readRegular.ts';
import { MB } from '../../../base/units.ts';
import type { CopyChange } from './changes.ts';

/**
 * Whether a change of a repository's own data means nothing: what was fetched last, and an index that
 * git wrote again with the same entries, as `git status` does.
 */
export function isGitNoise(change: CopyChange): boolean {
  const name = path.basename(change.path);
  if (name === 'FETCH_HEAD' && path.basename(path.dirname(change.path)) === '.git') {
    // A folder may hold anything.
    return change.kind === 'file';
  }
  if (name !== 'index' || change.type !== 'changed' || change.kind !== 'file') return false;
  // A command can make a file that is larger than the memory. Without a name in UTF-8 it isn't found.
  const read = (file: Buffer) => readRegular(file.toString(), MOST_BYTES);
  const [copy, own] = [read(change.copy), read(change.file)];
  if (copy.state !== 'read' || own.state !== 'read') return false;
  return isSameIndex(copy.bytes, own.bytes);
}

/** About 500,000 entries. */
const MOST_BYTES = 64 * MB;

function isSameIndex(copy: Buffer, own: Buffer): boolean {
  // The copy may name any number of entries, which need not be there.
  if (!copy.subarray(0, HEADER).equals(own.subarray(0, HEADER))) return false;
  const entries = readEntries(copy);
  return entries !== undefined && entries === readEntries(own);
}

/** What it is, its version, and how many entries it has. */
const HEADER = 12;

/** Bytes before an entry's name: times, ids and sizes of the file, its mode, object id and flags. */
const [MODE, OBJECT_ID, FLAGS, NAME] = [24, 40, 60, 62];
const EXTENDED = 0x4000;

/**
 * Mode, object id, flags and name of each entry, without what only caches the file's times. Undefined for
 * an index of another format, which then counts as changed.
 */
function readEntries(index: Buffer): string | undefined {
  if (index.length < HEADER || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  const entries: string[] = [];
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + NAME > index.length) return undefined;
    const isExtended = (index.readUInt16BE(at + FLAGS) & EXTENDED) !== 0;
    const end = index.indexOf(0, at + NAME + (isExtended ? 2 : 0));
    if (end === -1) return undefined;
    const mode = index.toString('hex', at + MODE, at + MODE + 4);
    entries.push(`${mode} ${index.toString('latin1', at + OBJECT_ID, end)}`);
    // An entry is filled up to a multiple of eight bytes, with one NUL at least.
    at += (end - at + 8) & ~7;
  }
  return `${entries.join('\n')}\n${readConflicts(index, at)}`;
}

/** The resolved conflicts, which `git checkout -m` brings back; other extensions are caches. */
function readConflicts(index: Buffer, start: number): string {
  for (let at = start; at + 8 < index.length - CHECKSUM; ) {
    const size = index.readUInt32BE(at + 4);
    if (index.toString('latin1', at, at + 4) === 'REUC') {
      return index.toString('latin1', at, at + 8 + size);
    }
    at += 8 + size;
  }
  return '';
}

const CHECKSUM = 20;
