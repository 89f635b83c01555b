import type { Clock } from '../../../src/base/clock.ts';

/** A clock that only advances when the test calls `tick`. */
export class FakeClock implements Clock {
  #now = 0;
  /** How many timers were asked for. */
  asked = 0;
  #timers: { at: number; run: () => void }[] = [];

  now = () => this.#now;

  after = (ms: number, run: () => void) => {
    const timer = { at: this.#now + ms, run };
    this.asked += 1;
    this.#timers.push(timer);
    return { dispose: () => this.#remove(timer) };
  };

  /** Advances the time and runs due timers in order. */
  tick(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#remove(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }

  get waiting(): number {
    return this.#timers.length;
  }

  #remove(timer: { at: number; run: () => void }): void {
    this.#timers = this.#timers.filter((each) => each !== timer);
  }
}

/** Lets settled promises run their continuations. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
