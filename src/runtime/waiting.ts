import { LONGEST_TIMER } from '../base/units.ts';
import type { Gate } from './runtime.ts';

/** Whether a program waits for the user's answer at the moment. Its time limits don't count that time. */
export interface Waiting {
  readonly isWaiting: boolean;
  /** Calls the listener when it changes. Returns a function that ends that. */
  onDidChange(listener: () => void): () => void;
}

export class UserWaiting implements Waiting {
  #asked = 0;
  readonly #listeners = new Set<() => void>();

  get isWaiting(): boolean {
    return this.#asked > 0;
  }

  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Counts as waiting until `work` has settled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count(1);
    try {
      return await work();
    } finally {
      this.#count(-1);
    }
  }

  #count(change: 1 | -1): void {
    this.#asked += change;
    // The first and the last of several questions at a time.
    if (this.#asked === (change === 1 ? 1 : 0)) for (const listener of this.#listeners) listener();
  }
}

/** Waits while any of them does. */
export function toEitherWaiting(...some: readonly (Waiting | undefined)[]): Waiting {
  const all = some.filter((each) => each !== undefined);
  const isAnyWaiting = () => all.some(({ isWaiting }) => isWaiting);
  return {
    get isWaiting() {
      return isAnyWaiting();
    },
    onDidChange(listener) {
      let before = isAnyWaiting();
      const change = () => {
        const now = isAnyWaiting();
        if (now === before) return;
        before = now;
        listener();
      };
      const ends = all.map((each) => each.onDidChange(change));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

type Egress = Pick<Gate, 'authorize' | 'authorizeAddress'>;

/** Answers about a host may take the user's time, which is not the program's. */
export function toWaitingEgress(gate: Egress, waiting: UserWaiting): Egress {
  return {
    authorize: (touch) => waiting.during(() => gate.authorize(touch)),
    authorizeAddress: (url) => waiting.during(() => gate.authorizeAddress(url)),
  };
}

/** Calls `end` after `ms` milliseconds in which nothing waited. Returns a function that stops it. */
export function startTimeLimit(
  ms: number,
  end: () => void,
  waiting?: Waiting,
  now: () => number = () => performance.now(),
): () => void {
  let left = Math.min(ms, LONGEST_TIMER);
  let since = now();
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    since = now();
    timer = setTimeout(end, left);
  };
  const onChange = (): void => {
    if (waiting?.isWaiting) {
      clearTimeout(timer);
      left = Math.max(0, left - (now() - since));
    } else start();
  };
  const unsubscribe = waiting?.onDidChange(onChange);
  if (!waiting?.isWaiting) start();
  return () => {
    clearTimeout(timer);
    unsubscribe?.();
  };
}

/** Resolves after `ms` milliseconds in which nothing waited, or when it is over. */
export function passTime(ms: number, over: AbortSignal, waiting?: Waiting): Promise<void> {
  return new Promise((resolve) => {
    const stop = startTimeLimit(ms, resolve, waiting);
    over.addEventListener('abort', () => {
      stop();
      resolve();
    });
  });
}
