import type { Chunk } from '../base/stream/chunk.ts';

/**
 * A queue with many writers and one reader, in order of arrival. After `close`, the remaining
 * chunks are delivered and the iteration ends.
 */
export interface ChunkQueue extends AsyncIterable<Chunk> {
  push(chunk: Chunk): void;
  close(): void;
}

export function createChunkQueue(): ChunkQueue {
  let waiting: Chunk[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push: (chunk) => {
      if (closed) return;
      waiting.push(chunk);
      notify();
    },
    close: () => {
      closed = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
