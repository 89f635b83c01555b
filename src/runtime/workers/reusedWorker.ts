import type { ResourceLimits } from 'node:worker_threads';
import { getMessage } from '../../base/faults.ts';
import { startWorker, toFault, type WorkerResult, waitForFirst } from './runWorker.ts';

export interface ReusedWorkerOptions {
  /** Sends one message once it is ready, and then one message in reply to each that it gets. */
  readonly program: URL;
  readonly resourceLimits: ResourceLimits;
}

export interface JobLimits {
  /**
   * In milliseconds of the thread's computing time, so that a busy machine ends no job; of the clock where Node
   * can't tell. Covers the job only, not its turn and the start of the thread.
   */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The start loads the program's modules, which takes seconds on a very busy machine. */
const START_MS = 60_000;

/** An idle thread is ended after this time, to free its memory. */
const IDLE_MS = 30_000;

const NEVER = new AbortController().signal;

type Thread = ReturnType<typeof startWorker>;

/** `spentMs`: how much of its time limit the job has used. */
export type JobResult = WorkerResult & { readonly spentMs: number };

/**
 * A worker thread for small jobs on untrusted data, one after another. A thread that exceeds the time limit or
 * its memory is terminated and replaced, so that it can block neither the host nor later jobs. It does
 * not keep the process alive while it is idle.
 */
export class ReusedWorker {
  readonly #options: ReusedWorkerOptions;
  #thread: Thread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReusedWorkerOptions) {
    this.#options = options;
  }

  /** The thread's reply. Never rejects. */
  run(data: unknown, limits: JobLimits): Promise<JobResult> {
    const result = this.#last
      .then(() => this.#serve(data, limits))
      .catch((fault: unknown) => unspent(toFault('failed', getMessage(fault))));
    this.#last = result;
    return result;
  }

  async #serve(data: unknown, { timeoutMs, signal = NEVER }: JobLimits): Promise<JobResult> {
    if (signal.aborted) {
      return unspent(toFault('abort', 'The worker was aborted before it started.'));
    }
    clearTimeout(this.#idle);
    const thread = this.#thread ?? (await this.#start());
    if ('fault' in thread) return unspent(thread);
    thread.ref();
    const before = { cpuMs: await readCpu(thread), at: performance.now() };
    try {
      thread.postMessage(data);
    } catch (fault) {
      this.#rest();
      return unspent(toFault('failed', getMessage(fault)));
    }
    const getLeftMs = () => timeLeft(thread, timeoutMs, before);
    const result = await waitForFirst(thread, { timeoutMs, signal, getLeftMs });
    const spentMs = await readSpent(thread, before);
    if (result.ok) this.#rest();
    else this.#end();
    return { ...result, spentMs };
  }

  async #start(): Promise<Thread | Extract<WorkerResult, { ok: false }>> {
    const thread = startWorker({ ...this.#options, data: undefined });
    this.#thread = thread;
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    const ready = await waitForFirst(thread, { timeoutMs: START_MS, signal: NEVER });
    if (ready.ok) return thread;
    this.#end();
    return ready;
  }

  #rest(): void {
    this.#thread?.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS);
    this.#idle.unref();
  }

  #end(): void {
    // Not awaited: a thread inside a long native call terminates only after it.
    void this.#thread?.terminate();
    this.#thread = undefined;
  }
}

/** However busy the machine is, a job ends after this many times its limit; after this long if that is less. */
const MOST = 10;
const LEAST_WALL_MS = 10_000;

interface Beginning {
  readonly cpuMs: number | undefined;
  readonly at: number;
}

/** Milliseconds of computing time that the job may still take. */
async function timeLeft(thread: Thread, timeoutMs: number, before: Beginning): Promise<number> {
  if (performance.now() - before.at > Math.max(timeoutMs * MOST, LEAST_WALL_MS)) return 0;
  return Math.max(0, timeoutMs - (await readSpent(thread, before)));
}

/** Milliseconds of computing time since then; of the clock where Node can't tell or the thread has ended. */
async function readSpent(thread: Thread, before: Beginning): Promise<number> {
  const cpuMs = await readCpu(thread);
  if (cpuMs === undefined || before.cpuMs === undefined) return performance.now() - before.at;
  return cpuMs - before.cpuMs;
}

function unspent(result: WorkerResult): JobResult {
  return { ...result, spentMs: 0 };
}

/** The computing time of the thread so far; undefined in versions of Node that can't tell. */
async function readCpu(thread: Thread): Promise<number | undefined> {
  if (!('cpuUsage' in thread)) return undefined;
  try {
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  } catch {
    // The thread has ended meanwhile, which is reported as such.
    return undefined;
  }
}
