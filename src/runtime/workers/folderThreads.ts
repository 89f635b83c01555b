import type { FolderTable } from './folderTable.ts';
import { startWorker } from './runWorker.ts';

/** What a thread gets: it looks at every `step`th folder, beginning with `first`. */
export interface FolderJob {
  readonly number: number;
  readonly table: FolderTable;
  readonly first: number;
  readonly step: number;
}

/** What it sends to each, after one message when it is ready. */
export interface FolderReply {
  readonly number: number;
  readonly changed: readonly number[];
}

type Thread = ReturnType<typeof startWorker>;
type Changed = readonly number[] | undefined;

/** Threads that share the folders of each look. They keep the process running only while they look. */
export class FolderThreads {
  readonly #threads: Thread[] = [];
  readonly #waiting = new Map<number, (reply: FolderReply | undefined) => void>();
  #ready = 0;
  #ended = false;
  #jobs = 0;

  constructor(program: URL, count: number) {
    try {
      while (this.#threads.length < count) this.#threads.push(this.#start(program));
    } catch {
      // The system gives no more threads.
      this.end();
    }
  }

  isReady(): boolean {
    return !this.#ended && this.#ready === this.#threads.length;
  }

  hasEnded(): boolean {
    return this.#ended;
  }

  /** Undefined: a thread ended. */
  async findChanged(table: FolderTable): Promise<Changed> {
    const step = this.#threads.length;
    const found = await Promise.all(
      this.#threads.map((thread, first) => this.#ask(thread, { table, first, step })),
    );
    if (this.#waiting.size === 0) for (const thread of this.#threads) thread.unref();
    return found.some((reply) => reply === undefined)
      ? undefined
      : found.flatMap((reply) => reply?.changed ?? []);
  }

  /** Idempotent. Who waits gets nothing. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    // Not awaited: a thread inside a call of the system ends after it.
    for (const thread of this.#threads) void thread.terminate();
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #ask(thread: Thread, job: Omit<FolderJob, 'number'>): Promise<FolderReply | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    this.#jobs += 1;
    const number = this.#jobs;
    const { promise, resolve } = Promise.withResolvers<FolderReply | undefined>();
    this.#waiting.set(number, resolve);
    thread.ref();
    thread.postMessage({ number, ...job } satisfies FolderJob);
    return promise;
  }

  #start(program: URL): Thread {
    const thread = startWorker({ program, data: undefined, resourceLimits: LIMITS });
    thread.unref();
    thread.once('message', () => {
      this.#ready += 1;
      // Sent by our own program.
      thread.on('message', (reply: FolderReply) => this.#settle(reply));
    });
    // One alone can't do the work of both.
    thread.once('exit', () => this.end());
    return thread;
  }

  #settle(reply: FolderReply): void {
    this.#waiting.get(reply.number)?.(reply);
    this.#waiting.delete(reply.number);
  }
}

const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };
