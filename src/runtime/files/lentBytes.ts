import { MB } from '../../base/units.ts';

/** Memory for the bytes of one large file, to be released after use. */
export interface LentBytes {
  readonly bytes: Buffer;
  /** After this the bytes may be reused for another file. Idempotent. */
  release(): void;
}

/**
 * Lends `length` bytes. One block is kept for reuse for a while, because allocating this much makes
 * V8 run a full garbage collection every few calls, which costs more than an edit of 10 MB. A block
 * that is never released is garbage-collected as usual.
 */
export function lendBytes(length: number): LentBytes {
  const block = takeKept(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / MB) * MB);
  let lent = true;
  return {
    bytes: block.subarray(0, length),
    release() {
      if (lent) keep(block);
      lent = false;
    },
  };
}

/** Larger blocks are not kept. */
const KEPT_BYTES = 32 * MB;
/** Milliseconds until the kept block is freed, so that an idle host doesn't hold it. */
const KEPT_MS = 10_000;

let kept: Buffer | undefined;
let expiry: NodeJS.Timeout | undefined;

function takeKept(length: number): Buffer | undefined {
  if (kept === undefined || kept.length < length) return undefined;
  const block = kept;
  kept = undefined;
  return block;
}

function keep(block: Buffer): void {
  if (block.length > KEPT_BYTES || block.length < (kept?.length ?? 0)) return;
  kept = block;
  clearTimeout(expiry);
  expiry = setTimeout(() => {
    kept = undefined;
  }, KEPT_MS).unref();
}
