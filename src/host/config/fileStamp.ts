import { statSync } from 'node:fs';
import { codeOf } from '../../base/faults.ts';

/** Changes whenever the file did: what was read for the same stamp still holds. */
export function stampOf(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
  } catch (fault) {
    return String(codeOf(fault));
  }
}
