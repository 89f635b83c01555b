import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MB } from '../../../base/units.ts';

/** Whether two files of equal size have equal content. Files of any size; the event loop gets its turns. */
export async function hasSameContent(one: Buffer, other: Buffer): Promise<boolean> {
  const first = openSync(one, 'r');
  try {
    const second = openSync(other, 'r');
    try {
      return await compare(first, second);
    } finally {
      closeSync(second);
    }
  } finally {
    closeSync(first);
  }
}

async function compare(first: number, second: number): Promise<boolean> {
  const [a, b] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  for (let position = 0; ; position += CHUNK) {
    const size = readSync(first, a, 0, CHUNK, position);
    if (readSync(second, b, 0, CHUNK, position) !== size) return false;
    if (!a.subarray(0, size).equals(b.subarray(0, size))) return false;
    if (size < CHUNK) return true;
    await nextTurn();
  }
}

const CHUNK = MB;
