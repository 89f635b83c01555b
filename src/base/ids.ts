import { randomBytes } from 'node:crypto';

export type IdPrefix =
  | 'ses'
  | 'msg'
  | 'prt'
  | 'ask'
  | 'que'
  | 'rev'
  | 'und'
  | 'cmp'
  | 'spn'
  | 'lmc';

/**
 * Creates an id of 30 characters (spec CS-91): `prt_`, 12 hex digits of milliseconds × 4096 +
 * counter, and 14 base62 characters. Ids from one process sort as text in creation order, even
 * within a millisecond. The 12 digits hold 48 bits, so the order wraps around every 2.2 years; sort
 * longer ranges by time first.
 */
export function createId(prefix: IdPrefix, now: number = Date.now()): string {
  return `${prefix}_${nextTick(now).toString(16).padStart(12, '0').slice(-12)}${randomText(14)}`;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PER_MILLISECOND = 4096;

/** The last value used. If the clock stops or goes back, ids keep counting up from here. */
let last = 0;

function nextTick(now: number): number {
  last = Math.max(now * PER_MILLISECOND, last + 1);
  return last;
}

/** Unused random bytes: one system call serves many ids. */
let pool = Buffer.alloc(0);
let used = 0;

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    if (used === pool.length) {
      pool = randomBytes(POOL);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    // 248 is the largest multiple of 62 that fits in a byte; higher values would bias the result.
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

const POOL = 1024;
