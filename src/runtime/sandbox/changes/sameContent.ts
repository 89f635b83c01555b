import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MB } from '../../../base/units.ts';

/**
 * Whether two files of equal size have equal content. Files of any size; the event loop gets its turns. What took the
 * place of one meanwhile is not the same, and a FIFO holds nothing up. Rejects when the signal aborts.
 */
export async function hasSameContent(
  one: Buffer,
  other: Buffer,
  signal: AbortSignal,
): Promise<boolean> {
  const first = openSync(one, FLAGS);
  try {
    const second = openSync(other, FLAGS);
    try {
      if (![first, second].every((file) => fstatSync(file).isFile())) return false;
      return await compare(first, second, signal);
    } finally {
      closeSync(second);
    }
  } finally {
    closeSync(first);
  }
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function compare(first: number, second: number, signal: AbortSignal): Promise<boolean> {
  const [a, b] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  for (let position = 0; ; position += CHUNK) {
    signal.throwIfAborted();
    const size = readSync(first, a, 0, CHUNK, position);
    if (readSync(second, b, 0, CHUNK, position) !== size) return false;
    if (!a.subarray(0, size).equals(b.subarray(0, size))) return false;
    if (size < CHUNK) return true;
    await nextTurn();
  }
}

const CHUNK = MB;
