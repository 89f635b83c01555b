import type { Chunk } from '../base/stream/chunk.ts';

/** Many writers, one reader, in the order of arrival. Closed, it gives out what it holds and ends. */
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
