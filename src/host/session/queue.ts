import { type Clock, systemClock } from '../../base/clock.ts';
import { createId } from '../../base/ids.ts';

/**
 * The jobs of one session: one runs, the others follow in order (spec CS-81, spec CS-101). Only the user
 * adds some: triggers are not built (spec CS-102).
 */
export interface Queue<Job, Result> {
  /**
   * Resolves when the job ended; rejects with what it threw. `id` names the entry. The queue generates
   * a name when `id` is absent or already taken by a queued or running entry. `withdrawn` removes the
   * entry while it is queued, and cancels everything once it runs.
   */
  add(job: Job, id?: string, withdrawn?: AbortSignal): Promise<Result>;
  /** Aborts the running job with this reason; queued jobs end with `onCancelled`. */
  cancel(reason?: unknown): void;
  /** Ends a queued entry with `onCancelled`. False when no queued entry has that name. */
  remove(id: string): boolean;
  /** Changes a queued entry. False when no queued entry has that name. */
  edit(id: string, change: (job: Job) => Job): boolean;
  readonly state: QueueState<Job>;
  readonly running: boolean;
  /** Resolves when nothing is running or queued. */
  idle(): Promise<void>;
}

export interface QueueState<Job> {
  /** The running entry. */
  readonly running?: string;
  /** The queued entries, in the order in which they will run. */
  readonly waiting: readonly QueueEntry<Job>[];
}

export interface QueueEntry<Job> {
  readonly id: string;
  readonly job: Job;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface QueueOptions<Job, Result> {
  run(job: Job, signal: AbortSignal): Promise<Result>;
  onCancelled(job: Job): Result;
  /** The error of queued jobs after one failed: they were meant to follow it. */
  onFailed(job: Job): unknown;
  /** Called when an entry was queued, removed or edited, or when a named entry starts to run. */
  onChanged(state: QueueState<Job>): void;
  readonly clock?: Clock;
}

interface Entry<Job, Result> extends QueueEntry<Job> {
  /** The sender chose the name, so it is notified when the entry runs. */
  readonly named: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
}

export function createQueue<Job, Result>(options: QueueOptions<Job, Result>): Queue<Job, Result> {
  return new PromptQueue(options);
}

class PromptQueue<Job, Result> implements Queue<Job, Result> {
  readonly #options: QueueOptions<Job, Result>;
  #waiting: readonly Entry<Job, Result>[] = [];
  #current: { readonly id: string; readonly controller: AbortController } | undefined;
  #draining = false;
  #drained: Promise<void> = Promise.resolve();

  constructor(options: QueueOptions<Job, Result>) {
    this.#options = options;
  }

  add(job: Job, id?: string, withdrawn?: AbortSignal): Promise<Result> {
    if (withdrawn?.aborted) return Promise.resolve(this.#options.onCancelled(job));
    const since = (this.#options.clock ?? systemClock).now();
    const free = id !== undefined && !this.#isTaken(id);
    const name = free ? id : createId('que', since);
    const onWithdrawn = () => {
      if (!this.remove(name) && this.#current?.id === name) this.cancel();
    };
    withdrawn?.addEventListener('abort', onWithdrawn, { once: true });
    const ended = new Promise<Result>((resolve, reject) => {
      const entry = { id: name, named: free, job, since, resolve, reject };
      if (this.#draining) this.#set([...this.#waiting, entry]);
      else this.#drained = this.#drain(entry);
    });
    // The name may be given to another entry later.
    return ended.finally(() => withdrawn?.removeEventListener('abort', onWithdrawn));
  }

  cancel(reason?: unknown): void {
    const cancelled = this.#waiting;
    this.#set([]);
    for (const { job, resolve } of cancelled) resolve(this.#options.onCancelled(job));
    this.#current?.controller.abort(reason);
  }

  remove(id: string): boolean {
    const found = this.#waiting.find((entry) => entry.id === id);
    if (found === undefined) return false;
    this.#set(this.#waiting.filter((entry) => entry !== found));
    found.resolve(this.#options.onCancelled(found.job));
    return true;
  }

  edit(id: string, change: (job: Job) => Job): boolean {
    const at = this.#waiting.findIndex((entry) => entry.id === id);
    const found = this.#waiting[at];
    if (found === undefined) return false;
    this.#set(this.#waiting.with(at, { ...found, job: change(found.job) }));
    return true;
  }

  get state(): QueueState<Job> {
    const waiting = this.#waiting.map(({ id, job, since }) => ({ id, job, since }));
    return { ...(this.#current && { running: this.#current.id }), waiting };
  }

  get running(): boolean {
    return this.#draining;
  }

  idle(): Promise<void> {
    return this.#drained;
  }

  #isTaken(id: string): boolean {
    return this.#current?.id === id || this.#waiting.some((entry) => entry.id === id);
  }

  #set(waiting: readonly Entry<Job, Result>[]): void {
    if (waiting.length === 0 && this.#waiting.length === 0) return;
    this.#waiting = waiting;
    this.#options.onChanged(this.state);
  }

  async #drain(first: Entry<Job, Result>): Promise<void> {
    this.#draining = true;
    let next: Entry<Job, Result> | undefined = first;
    while (next !== undefined) {
      await this.#run(next);
      // The response of this turn is sent first, so that the client sees events in order.
      if (this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
      // No await from here to the end: an entry queued in between would be missed.
      next = this.#waiting[0];
    }
    this.#draining = false;
  }

  async #run(entry: Entry<Job, Result>): Promise<void> {
    const { id, named, job, resolve, reject } = entry;
    const controller = new AbortController();
    this.#current = { id, controller };
    if (this.#waiting.includes(entry)) this.#set(this.#waiting.filter((each) => each !== entry));
    else if (named) this.#options.onChanged(this.state);
    try {
      resolve(await this.#options.run(job, controller.signal));
    } catch (fault) {
      reject(fault);
      const unsent = this.#waiting;
      this.#set([]);
      for (const other of unsent) other.reject(this.#options.onFailed(other.job));
    }
    this.#current = undefined;
  }
}
