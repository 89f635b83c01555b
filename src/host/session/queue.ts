import { isDeepStrictEqual } from 'node:util';
import { type Clock, systemClock } from '../../base/clock.ts';
import { createId } from '../../base/ids.ts';
import { sha256 } from '../../base/text/sha256.ts';

/**
 * The jobs of one session, which are plain data: one runs, the others follow in order (spec CS-81, spec CS-101). Only the user
 * adds some: triggers are not built (spec CS-102).
 */
export interface Queue<Job, Result> {
  /**
   * Resolves when the job ended; rejects with what it threw. `id` names the entry. The same job under the
   * name of an entry that waits, runs or has run is that entry, not a second one (spec CS-101): a client
   * that lost its connection sends again. For another job, or without `id`, the queue generates a name.
   * `withdrawn` removes the entry while it is queued, and cancels everything once it runs. In a paused
   * queue, a job with a name waits, and one without runs at once: if it succeeds, the others follow.
   */
  add(job: Job, id?: string, withdrawn?: AbortSignal): Promise<Result>;
  /** Aborts the running job with this reason; queued jobs end with `onCancelled`. */
  cancel(reason?: unknown): void;
  /** Ends a queued entry with `onCancelled`. False when no queued entry has that name. */
  remove(id: string): boolean;
  /** Changes a queued entry. False when no queued entry has that name. */
  edit(id: string, change: (job: Job) => Job): boolean;
  /** Puts a queued entry before another one, or last. False when either is no longer queued. */
  move(id: string, before: string | undefined): boolean;
  /** Lets the running job take a queued entry; if it ends before, the entry runs next. False when there is none. */
  steer(id: string): boolean;
  /** The entries that the running job is to take, in order. */
  readonly steered: readonly QueueEntry<Job>[];
  /** Ends queued entries with `onTaken`: the running job has them. */
  take(ids: readonly string[]): void;
  /** Runs the queue since a job failed. False when the queue is not paused. */
  resume(): boolean;
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
  /** Nothing of it runs until `resume`, because a job failed. */
  readonly paused?: true;
}

export interface QueueEntry<Job> {
  readonly id: string;
  readonly job: Job;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The running job is to take it. */
  readonly steered?: true;
}

export interface QueueOptions<Job, Result> {
  run(job: Job, signal: AbortSignal): Promise<Result>;
  onCancelled(job: Job): Result;
  /** Whether a failure pauses the queue (spec CS-101). Otherwise it ends the queue, by `onFailed`. */
  pauses?(): boolean;
  /** The error of queued jobs after one failed: they were meant to follow it. */
  onFailed(job: Job): unknown;
  /** The result of an entry that the running job has taken. */
  onTaken?(job: Job): Result;
  /** Called when an entry was queued, removed or edited, or when a named entry starts to run. */
  onChanged(state: QueueState<Job>): void;
  readonly clock?: Clock;
}

interface Entry<Job, Result> extends QueueEntry<Job> {
  /** The sender chose the name, so it is notified when the entry runs. */
  readonly named: boolean;
  /** The job as it was sent; the user may have edited it since. */
  readonly sent: Job;
  /** It was added to the paused queue to run all the same. */
  readonly now: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
  readonly ended: Promise<Result>;
}

export function createQueue<Job, Result>(options: QueueOptions<Job, Result>): Queue<Job, Result> {
  return new PromptQueue(options);
}

class PromptQueue<Job, Result> implements Queue<Job, Result> {
  readonly #options: QueueOptions<Job, Result>;
  #waiting: readonly Entry<Job, Result>[] = [];
  #current:
    | { readonly entry: Entry<Job, Result>; readonly controller: AbortController }
    | undefined;
  /** Named entries that have run. Jobs may hold large attachments, so only hashes of them are kept. */
  readonly #past = new Map<string, { readonly hash: string; readonly ended: Promise<Result> }>();
  #paused = false;
  #draining = false;
  #drained: Promise<void> = Promise.resolve();

  constructor(options: QueueOptions<Job, Result>) {
    this.#options = options;
  }

  add(job: Job, id?: string, withdrawn?: AbortSignal): Promise<Result> {
    if (withdrawn?.aborted) return Promise.resolve(this.#options.onCancelled(job));
    const known = this.#find(id);
    if (known !== undefined && isSame(known, job)) return known.ended;
    const past = this.#past.get(id ?? '');
    if (past !== undefined && past.hash === toHash(job)) return past.ended;
    const since = (this.#options.clock ?? systemClock).now();
    const free = id !== undefined && known === undefined;
    const name = free ? id : createId('que', since);
    const onWithdrawn = () => {
      if (!this.remove(name) && this.#current?.entry.id === name) this.cancel();
    };
    withdrawn?.addEventListener('abort', onWithdrawn, { once: true });
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const now = this.#paused && !free;
    const entry = {
      id: name,
      named: free,
      now,
      job,
      sent: job,
      since,
      resolve,
      reject,
      ended: promise,
    };
    if (this.#draining || (this.#paused && free)) this.#set([...this.#waiting, entry]);
    else this.#drained = this.#drain(entry);
    // The name may be given to another entry later.
    return promise.finally(() => withdrawn?.removeEventListener('abort', onWithdrawn));
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

  move(id: string, before: string | undefined): boolean {
    const found = this.#waiting.find((entry) => entry.id === id);
    const others = this.#waiting.filter((entry) => entry !== found);
    const at =
      before === undefined ? others.length : others.findIndex((each) => each.id === before);
    if (found === undefined || at < 0) return false;
    this.#set(others.toSpliced(at, 0, found));
    return true;
  }

  steer(id: string): boolean {
    const found = this.#waiting.find((entry) => entry.id === id);
    if (found === undefined || found.steered || this.#current === undefined) return false;
    const others = this.#waiting.filter((entry) => entry !== found);
    this.#set(others.toSpliced(this.steered.length, 0, { ...found, steered: true }));
    return true;
  }

  get steered(): readonly QueueEntry<Job>[] {
    return this.#waiting.filter(({ steered }) => steered);
  }

  take(ids: readonly string[]): void {
    const taken = this.#waiting.filter(({ id }) => ids.includes(id));
    this.#set(this.#waiting.filter((entry) => !taken.includes(entry)));
    const { onTaken, onCancelled } = this.#options;
    for (const entry of taken) {
      entry.resolve((onTaken ?? onCancelled)(entry.job));
      this.#remember(entry);
    }
  }

  resume(): boolean {
    const [first] = this.#waiting;
    if (!this.#paused || first === undefined) return false;
    this.#paused = false;
    if (!this.#draining) this.#drained = this.#drain(first);
    return true;
  }

  get state(): QueueState<Job> {
    const waiting = this.#waiting.map(({ id, job, since, steered }) => {
      return { id, job, since, ...(steered && { steered }) };
    });
    const running = this.#current?.entry.id;
    return {
      ...(running !== undefined && { running }),
      waiting,
      ...(this.#paused && { paused: true }),
    };
  }

  get running(): boolean {
    return this.#draining;
  }

  idle(): Promise<void> {
    return this.#drained;
  }

  #remember({ id, named, sent, ended }: Entry<Job, Result>): void {
    if (!named) return;
    this.#past.delete(id);
    this.#past.set(id, { hash: toHash(sent), ended });
    const [oldest = id] = this.#past.keys();
    if (this.#past.size > MOST_PAST) this.#past.delete(oldest);
  }

  #find(id: string | undefined): Entry<Job, Result> | undefined {
    if (this.#current?.entry.id === id) return this.#current?.entry;
    return this.#waiting.find((entry) => entry.id === id);
  }

  #set(waiting: readonly Entry<Job, Result>[]): void {
    if (waiting.length === 0 && this.#waiting.length === 0) return;
    this.#waiting = waiting;
    // An empty queue has nothing to resume.
    if (waiting.length === 0) this.#paused = false;
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
      next = this.#waiting.find((waiting) => waiting.now || !this.#paused);
    }
    this.#draining = false;
  }

  async #run(entry: Entry<Job, Result>): Promise<void> {
    const { named, job, resolve, reject } = entry;
    const controller = new AbortController();
    this.#current = { entry, controller };
    if (this.#waiting.includes(entry)) this.#set(this.#waiting.filter((each) => each !== entry));
    else if (named) this.#options.onChanged(this.state);
    try {
      resolve(await this.#options.run(job, controller.signal));
      this.#remember(entry);
      this.#paused = false;
    } catch (fault) {
      reject(fault);
      this.#failed();
    }
    this.#current = undefined;
    // What the job has not taken is a turn of its own. In a paused queue, nothing may go with a retry.
    this.#waiting = this.#waiting.map(({ steered: _, ...waiting }) => waiting);
    if (this.#paused) this.#options.onChanged(this.state);
  }

  /** The queue would run into the same error, so it waits for the user. */
  #failed(): void {
    if (this.#options.pauses?.() === true) {
      this.#paused = this.#waiting.length > 0;
      return;
    }
    const unsent = this.#waiting;
    this.#set([]);
    for (const other of unsent) other.reject(this.#options.onFailed(other.job));
  }
}

function isSame<Job>(
  { job, sent }: { readonly job: Job; readonly sent: Job },
  other: Job,
): boolean {
  return isDeepStrictEqual(job, other) || isDeepStrictEqual(sent, other);
}

/** How many named entries that have run are remembered. */
const MOST_PAST = 100;

function toHash(job: unknown): string {
  return sha256(JSON.stringify(job), 'base64');
}
