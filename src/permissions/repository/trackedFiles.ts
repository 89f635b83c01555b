import path from 'node:path';
import { type GitFolder, readRegular } from './gitFolder.ts';

/** Bytes of an entry before its name: times, device, inode, mode, owner, size, hash and flags. */
const FIXED = 62;
const EXTENDED = 0x4000;
/** The index of some 300,000 files, in bytes. */
const INDEX_LIMIT = 32 * 1024 * 1024;

/**
 * The paths in git's index, relative to the root of the repository. Undefined: they can't be told,
 * because the index is split, uses other hashes or isn't readable.
 */
export function listTrackedFiles({ own }: GitFolder): readonly string[] | undefined {
  try {
    const index = readRegular(path.join(own, 'index'), INDEX_LIMIT);
    return index === undefined ? [] : parseIndex(index);
  } catch {
    return undefined;
  }
}

/** Throws a RangeError if the index ends too early. */
function parseIndex(index: Buffer): readonly string[] | undefined {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const count = index.readUInt32BE(8);
  const paths: string[] = [];
  let at = 12;
  let previous = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flags = index.readUInt16BE(at + FIXED - 2);
    let name = at + FIXED + ((flags & EXTENDED) === 0 ? 0 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const cut = readVariable(index, name);
      kept = previous.subarray(0, previous.length - cut.value);
      name = cut.next;
    }
    const end = index.indexOf(0, name);
    if (end < 0) return undefined;
    previous = Buffer.concat([kept, index.subarray(name, end)]);
    paths.push(previous.toString('utf8'));
    // Before version 4, entries are padded to a multiple of eight bytes.
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8;
  }
  return index.includes('link', at, 'latin1') ? undefined : paths;
}

/** A number in git's offset encoding. */
function readVariable(
  index: Buffer,
  from: number,
): { readonly value: number; readonly next: number } {
  let next = from;
  let byte = index.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(next++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next };
}
