/** The length of the common beginning and end of two sequences. */
export interface CommonEnds {
  readonly head: number;
  readonly tail: number;
}

/** Whether `count` units at `before` in the old sequence equal those at `after` in the new one. */
export type SameRange = (before: number, after: number, count: number) => boolean;

/**
 * Finds the common head and tail of two sequences of these lengths (in bytes, UTF-16 units or
 * lines). Head and tail never overlap.
 */
export function commonEnds(before: number, after: number, same: SameRange): CommonEnds {
  const shorter = Math.min(before, after);
  const head = gallop(shorter, (done, count) => same(done, done, count));
  const tail = gallop(shorter - head, (done, count) =>
    same(before - done - count, after - done - count, count),
  );
  return { head, tail };
}

/**
 * Units compared at once: blocks are compared natively, and only a block that differs is bisected.
 */
const BLOCK = 64 * 1024;

function gallop(length: number, same: (done: number, count: number) => boolean): number {
  let done = 0;
  for (let step = BLOCK; step >= 1; ) {
    if (done + step <= length && same(done, step)) done += step;
    else step = Math.floor(step / 2);
  }
  return done;
}
