import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { StallError } from './errors.ts';

/** Milliseconds without data before a request is aborted; 0 waits forever. */
export interface Patience {
  readonly firstMs: number;
  readonly chunkMs: number;
}

/**
 * Forwards a stream until it ends, sends nothing for too long (throws `StallError`) or the signal
 * aborts (throws its reason). Neither waits for a source that no longer responds.
 */
export async function* watchStream<Part>(
  source: Promise<ReadableStream<Part>>,
  isContent: (part: Part) => boolean,
  patience: Patience,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  const watch = watchEach(clock, signal);
  let reader: ReadableStreamDefaultReader<Part> | undefined;
  let started = false;
  try {
    reader = (await watch.within(source, patience.firstMs, true)).getReader();
    for (;;) {
      const wait = started ? patience.chunkMs : patience.firstMs;
      const item = await watch.within(reader.read(), wait, !started);
      if (item.done) return;
      started ||= isContent(item.value);
      yield item.value;
    }
  } finally {
    watch.dispose();
    // Not awaited, because a hanging source would block us too. Its error no longer matters.
    reader?.cancel().catch(() => undefined);
  }
}

interface Watch extends Disposable {
  /** Rejects when `next` takes longer than `ms` milliseconds or the signal aborts. */
  within<Value>(next: Promise<Value>, ms: number, first: boolean): Promise<Value>;
}

/**
 * Uses one listener for the whole stream and one promise per wait. Racing against a long-lived
 * promise would leak a reaction each time, and a listener per wait costs more than the wait.
 */
function watchEach(clock: Clock, signal: AbortSignal): Watch {
  let fail: ((reason: unknown) => void) | undefined;
  const deadline = createDeadline(clock, (fault) => fail?.(fault));
  const onAbort = () => fail?.(signal.reason);
  signal.addEventListener('abort', onAbort);
  return {
    within: (next, ms, first) =>
      new Promise((resolve, reject) => {
        const end = () => {
          fail = undefined;
          deadline.clear();
        };
        fail = (reason) => {
          end();
          reject(reason);
        };
        deadline.set(ms, first);
        next.then((value) => {
          end();
          resolve(value);
        }, fail);
        if (signal.aborted) onAbort();
      }),
    dispose: () => {
      deadline.dispose();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

interface Deadline extends Disposable {
  set(ms: number, first: boolean): void;
  clear(): void;
}

/** Starts the timer on the next tick, so that data which has already arrived needs no timer. */
function createDeadline(clock: Clock, onMissed: (fault: StallError) => void): Deadline {
  let timer: Disposable | undefined;
  let wait: { readonly ms: number; readonly first: boolean } | undefined;
  let due = false;
  const begin = () => {
    due = false;
    if (wait === undefined || timer !== undefined) return;
    const { ms, first } = wait;
    timer = clock.after(ms, () => onMissed(new StallError(ms, first)));
  };
  const clear = () => {
    wait = undefined;
    timer?.dispose();
    timer = undefined;
  };
  return {
    set(ms, first) {
      if (ms <= 0) return;
      wait = { ms, first };
      if (!due) process.nextTick(begin);
      due = true;
    },
    clear,
    dispose: clear,
  };
}
