/** How many units two sequences share at their beginning and, behind that, at their end. */
export interface CommonEnds {
  readonly head: number;
  readonly tail: number;
}

/** Whether `count` units from `before` of the old sequence equal those from `after` of the new one. */
export type SameRange = (before: number, after: number, count: number) => boolean;

/**
 * The common head and tail of two sequences with these lengths: bytes, UTF-16 units or lines. Head
 * and tail never overlap.
 */
export function commonEnds(before: number, after: number, same: SameRange): CommonEnds {
  const shorter = Math.min(before, after);
  const head = gallop(shorter, (done, count) => same(done, done, count));
  const tail = gallop(shorter - head, (done, count) =>
    same(before - done - count, after - done - count, count),
  );
  return { head, tail };
}

/** Units compared in one go: whole blocks are compared natively, and only one that differs is halved. */
const BLOCK = 64 * 1024;

function gallop(length: number, same: (done: number, count: number) => boolean): number {
  let done = 0;
  for (let step = BLOCK; step >= 1; ) {
    if (done + step <= length && same(done, step)) done += step;
    else step = Math.floor(step / 2);
  }
  return done;
}
