import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { StallError } from './faults.ts';

/** Milliseconds of silence that end a request; 0 waits for ever. */
export interface Patience {
  readonly firstMs: number;
  readonly chunkMs: number;
}

/**
 * Passes a stream on until it ends, stays silent for too long (`StallError`) or the signal aborts
 * (its reason). Both end the wait at once, even when the source itself never answers again.
 */
export async function* watchStream<Part>(
  source: Promise<AsyncIterable<Part>>,
  isContent: (part: Part) => boolean,
  patience: Patience,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  const watch = watchEach(clock, signal);
  let iterator: AsyncIterator<Part> | undefined;
  let started = false;
  try {
    iterator = (await watch.within(source, patience.firstMs, true))[Symbol.asyncIterator]();
    for (;;) {
      const wait = started ? patience.chunkMs : patience.firstMs;
      const item = await watch.within(iterator.next(), wait, !started);
      if (item.done) return;
      started ||= isContent(item.value);
      yield item.value;
    }
  } finally {
    watch.dispose();
    // Not awaited: a source that hangs would hang us too. Its failure has no reader any more.
    iterator?.return?.().catch(() => undefined);
  }
}

interface Watch extends Disposable {
  /** Rejects when the wait takes longer than `ms` milliseconds, or the signal aborts. */
  within<Value>(next: Promise<Value>, ms: number, first: boolean): Promise<Value>;
}

/**
 * One listener for the stream and one promise for each wait: racing a long-lived promise would leak a
 * reaction each, and a listener for each wait costs more than the wait.
 */
function watchEach(clock: Clock, signal: AbortSignal): Watch {
  let stop: (() => void) | undefined;
  const onAbort = () => stop?.();
  signal.addEventListener('abort', onAbort);
  return {
    within: (next, ms, first) =>
      new Promise((resolve, reject) => {
        const timer =
          ms > 0 ? clock.after(ms, () => end(() => reject(new StallError(ms, first)))) : undefined;
        const end = (finish: () => void) => {
          timer?.dispose();
          stop = undefined;
          finish();
        };
        stop = () => end(() => reject(signal.reason));
        next.then(
          (value) => end(() => resolve(value)),
          (error: unknown) => end(() => reject(error)),
        );
        if (signal.aborted) stop();
      }),
    dispose: () => signal.removeEventListener('abort', onAbort),
  };
}
