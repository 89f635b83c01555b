import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Disposable } from '../../base/disposable.ts';

/** By how much the heap grows beyond what lives before it is collected again, in percent. */
const GROWTH = 60;

/** The host has loaded its code by then, and nobody waits for it. Milliseconds. */
const FIRST_MS = 1_500;

/**
 * Lets the heap grow with what lives in it. By default V8 collects it for the first time when it has grown
 * to a hundred megabytes, and never gives them back, although a session of 2,000 turns needs 30.
 */
export function boundHeap(): Disposable {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  setFlagsFromString('--expose-gc');
  // The limit for the next collection is derived from what is left after this one.
  const timer = setTimeout(
    () => void runInNewContext("typeof gc === 'function' && gc()"),
    FIRST_MS,
  );
  return { dispose: () => clearTimeout(timer) };
}
