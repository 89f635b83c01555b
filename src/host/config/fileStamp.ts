import { statSync } from 'node:fs';
import { getCode } from '../../base/faults.ts';

/** Changes when the file changes, so that it can key a cache. */
export function readStamp(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
  } catch (fault) {
    return String(getCode(fault));
  }
}
