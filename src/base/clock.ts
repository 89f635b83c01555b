import type { Disposable } from './disposable.ts';

/** A clock that tests can replace and advance by hand. All times are in milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `run` once after `ms`, unless disposed first. */
  after(ms: number, run: () => void): Disposable;
}

/** One frame of a 60 Hz screen, in milliseconds. */
export const FRAME = 16;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.dispose();
      reject(signal.reason);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Whole milliseconds since a time of `performance.now()`. */
export function millisecondsSince(started: number): number {
  return Math.max(0, Math.round(performance.now() - started));
}

export interface Paced extends Disposable {
  call(): void;
}

/** Runs at the first call at once, and once more after `ms` for all calls meanwhile. */
export function atMostEvery(clock: Clock, ms: number, run: () => void): Paced {
  let timer: Disposable | undefined;
  let again = false;
  const start = () => {
    run();
    timer = clock.after(ms, () => {
      timer = undefined;
      if (!again) return;
      again = false;
      start();
    });
  };
  return {
    call() {
      if (timer === undefined) start();
      else again = true;
    },
    dispose: () => timer?.dispose(),
  };
}
