import { randomBytes } from 'node:crypto';

export type IdPrefix = 'ses' | 'msg' | 'prt' | 'ask' | 'que';

/**
 * A new id (spec CS-91), 30 characters: `prt_`, 12 hex of milliseconds × 4096 + counter, 14 base62. Ids
 * made by one process sort as text in the order they were made, within one millisecond too. The 12
 * digits hold 48 bits, so the text order starts over every 2.2 years: what spans longer is ordered by
 * its time first.
 */
export function createId(prefix: IdPrefix, now: number = Date.now()): string {
  return `${prefix}_${nextTick(now).toString(16).padStart(12, '0').slice(-12)}${randomText(14)}`;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PER_MILLISECOND = 4096;

/** The last value given out. A clock that stands still or steps back only counts on from here. */
let last = 0;

function nextTick(now: number): number {
  last = Math.max(now * PER_MILLISECOND, last + 1);
  return last;
}

/** Random bytes that no id has used: one system call for many ids. */
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
    // 248 is the largest multiple of 62 in a byte: above it some characters would be likelier.
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

const POOL = 1024;
