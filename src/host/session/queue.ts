import { type Clock, systemClock } from '../../base/clock.ts';
import { createId } from '../../base/ids.ts';

/** What waits for its turn in a session: one runs, the others follow in order (spec CS-81, CS-101). */
export interface Queue<Job, Result> {
  /**
   * Resolves when this job ended; rejects with what it threw. `id` names the entry, unless another one
   * that waits or runs has that name: then, and without one, the queue makes a name.
   */
  add(job: Job, id?: string): Promise<Result>;
  /** Aborts what runs, with this reason; what waits ends with `onCancelled`. */
  cancel(reason?: unknown): void;
  /** Ends an entry with `onCancelled`. False when it does not wait: it runs, has ended or never was. */
  remove(id: string): boolean;
  /** Changes an entry before it runs. False when it does not wait. */
  edit(id: string, change: (job: Job) => Job): boolean;
  readonly state: QueueState<Job>;
  readonly running: boolean;
  /** Resolves when nothing runs or waits any more. */
  idle(): Promise<void>;
}

export interface QueueState<Job> {
  /** The entry that runs now. */
  readonly running?: string;
  /** What waits, in the order it will run. */
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
  /** What waiting jobs are told when one failed: they were meant to follow it. */
  onFailed(job: Job): unknown;
  /** What waits has changed: an entry came, went or was edited; or one with a given name runs now. */
  onChanged(state: QueueState<Job>): void;
  readonly clock?: Clock;
}

interface Entry<Job, Result> extends QueueEntry<Job> {
  /** Who sent it knows its name, and wants to hear that it runs. */
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

  add(job: Job, id?: string): Promise<Result> {
    const since = (this.#options.clock ?? systemClock).now();
    const free = id !== undefined && !this.#isTaken(id);
    const name = free ? id : createId('que', since);
    return new Promise((resolve, reject) => {
      const entry = { id: name, named: free, job, since, resolve, reject };
      if (this.#draining) this.#set([...this.#waiting, entry]);
      else this.#drained = this.#drain(entry);
    });
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
      // The answer to this turn leaves first, so that a client learns things in order.
      if (this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
      // Nothing is awaited from here to the end: an entry that comes meanwhile must not be missed.
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
