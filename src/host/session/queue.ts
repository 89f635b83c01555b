/** What waits its turn in a session: one runs, the others follow in order (CS-81, CS-101). */
export interface Queue<Job, Result> {
  /** Resolves when this job ended; rejects with what it threw. */
  add(job: Job): Promise<Result>;
  /** Aborts what runs, with this reason; what waits ends with `onCancelled`. */
  cancel(reason?: unknown): void;
  readonly running: boolean;
  /** Resolves when nothing runs or waits any more. */
  idle(): Promise<void>;
}

export interface QueueOptions<Job, Result> {
  run(job: Job, signal: AbortSignal): Promise<Result>;
  onCancelled(job: Job): Result;
  /** What waiting jobs are told when one failed: they were meant to follow it. */
  onFailed(job: Job): unknown;
}

interface Entry<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
}

export function createQueue<Job, Result>(options: QueueOptions<Job, Result>): Queue<Job, Result> {
  const waiting: Entry<Job, Result>[] = [];
  let controller: AbortController | undefined;
  let drained: Promise<void> = Promise.resolve();

  async function drain(): Promise<void> {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      controller = new AbortController();
      try {
        entry.resolve(await options.run(entry.job, controller.signal));
      } catch (fault) {
        entry.reject(fault);
        for (const other of waiting.splice(0)) other.reject(options.onFailed(other.job));
      }
    }
    controller = undefined;
  }

  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (controller === undefined) drained = drain();
      }),
    cancel(reason) {
      for (const { job, resolve } of waiting.splice(0)) resolve(options.onCancelled(job));
      controller?.abort(reason);
    },
    get running() {
      return controller !== undefined;
    },
    idle: () => drained,
  };
}
