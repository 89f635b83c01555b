import { statSync } from 'node:fs';
import { getCode } from '../../base/faults.ts';

/** Changes whenever the file did: what was read for the same stamp still holds. */
export function readStamp(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
  } catch (fault) {
    return String(getCode(fault));
  }
}
