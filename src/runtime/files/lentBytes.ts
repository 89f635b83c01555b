import { MB } from '../../base/units.ts';

/** Memory for the bytes of one large file; whoever borrowed it gives it back when done. */
export interface LentBytes {
  readonly bytes: Buffer;
  /** The bytes may be another file's afterwards. Giving back twice is giving back once. */
  giveBack(): void;
}

/**
 * Lends `length` bytes. One block is kept between calls for a while: memory this large makes V8 collect
 * all garbage every few calls, which costs more than a whole edit of 10 MB. Who gives nothing back
 * takes nothing from others: the block is garbage then, as any other.
 */
export function lendBytes(length: number): LentBytes {
  const block = takeKept(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / MB) * MB);
  let lent = true;
  return {
    bytes: block.subarray(0, length),
    giveBack() {
      if (lent) keep(block);
      lent = false;
    },
  };
}

/** Larger blocks are not kept. */
const KEPT_BYTES = 32 * MB;
/** An idle host holds no such memory. */
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
