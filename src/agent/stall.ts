import type { Clock } from '../base/clock.ts';
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
  const opened = await within(source, patience.firstMs, true, clock, signal);
  const iterator = opened[Symbol.asyncIterator]();
  let started = false;
  try {
    for (;;) {
      const wait = started ? patience.chunkMs : patience.firstMs;
      const item = await within(iterator.next(), wait, !started, clock, signal);
      if (item.done) return;
      started ||= isContent(item.value);
      yield item.value;
    }
  } finally {
    // Not awaited: a source that hangs would hang us too. Its failure has no reader any more.
    iterator.return?.().catch(() => undefined);
  }
}

/** One promise and one listener for each wait: racing a long-lived promise would leak a reaction each. */
function within<Value>(
  next: Promise<Value>,
  ms: number,
  first: boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => settle(() => reject(signal.reason));
    const timer =
      ms > 0 ? clock.after(ms, () => settle(() => reject(new StallError(ms, first)))) : undefined;
    const settle = (finish: () => void) => {
      timer?.dispose();
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    next.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
