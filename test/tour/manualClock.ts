import type { Clock } from '../../src/base/clock.ts';

/** A clock that only a test moves. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Resolves as soon as someone waits for exactly this long. */
  whenWaiting(ms: number): Promise<void>;
  /** What is being waited for, in milliseconds from now. */
  readonly waiting: readonly number[];
}

export function createManualClock(start = 1_800_000_000_000): ManualClock {
  let now = start;
  const timers = new Set<{ readonly ms: number; readonly due: number; readonly run: () => void }>();
  const watchers: { readonly ms: number; readonly resolve: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { ms, due: now + ms, run };
      timers.add(timer);
      for (const watcher of watchers) if (watcher.ms === ms) watcher.resolve();
      return { dispose: () => timers.delete(timer) };
    },
    advance: (ms) => {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        if (timer.due > now || !timers.delete(timer)) continue;
        timer.run();
      }
    },
    whenWaiting: (ms) =>
      new Promise((resolve) => {
        if ([...timers].some((timer) => timer.ms === ms)) resolve();
        else watchers.push({ ms, resolve });
      }),
    get waiting() {
      return [...timers].map(({ due }) => due - now);
    },
  };
}
