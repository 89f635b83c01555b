import { statSync } from 'node:fs';
import { readHead } from '../../base/disk/readRegular.ts';

const MAGIC = '!<thin>\n';

/** Whether the file may be an archive that only names its members, which lie elsewhere. */
export function mayBeThin(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== false) return false;
  } catch {
    // A program can't open it either.
    return false;
  }
  const read = readHead(file, MAGIC.length);
  if (read.state === 'absent') return false;
  return read.state === 'unreadable' || read.bytes.toString('latin1') === MAGIC;
}
