import { availableParallelism } from 'node:os';
import type { FolderTable } from './folderTable.ts';
import { FolderThreads } from './folderThreads.ts';

/**
 * Looks in threads of its own whether folders changed: one call of the system for each folder of a large workspace takes
 * longer than all else that a command in the copy waits for.
 */
export interface FolderChecker {
  /** Starts the threads, which takes longer than one look. They end when nothing was looked at for a minute. */
  warm(): void;
  /**
   * The positions of the folders that don't have their stamps any more; each is looked at after the call. Undefined: no
   * thread is ready, or one failed. Rejects when `signal` aborts, and when the file system doesn't answer.
   */
  findChanged(table: FolderTable, signal: AbortSignal): Promise<readonly number[] | undefined>;
  /** Ends the threads. Idempotent. */
  end(): void;
}

/** Replaced in tests. */
export interface FolderCheckerOptions {
  readonly program?: URL;
  readonly limitMs?: number;
  readonly keptMs?: number;
}

// In the bundle, the thread's program is next to the host's.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './folderWorker.ts' : './folderWorker.mjs',
  import.meta.url,
);

/** Each takes memory, and more of them find less and less sooner. */
const THREADS = Math.min(4, availableParallelism());

/** For a file system that doesn't answer. */
const LIMIT_MS = 10_000;
const KEPT_MS = 60_000;

export function createFolderChecker(options: FolderCheckerOptions = {}): FolderChecker {
  const { program = PROGRAM, limitMs = LIMIT_MS, keptMs = KEPT_MS } = options;
  let threads: FolderThreads | undefined;
  let idle: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(idle);
    threads?.end();
    threads = undefined;
  };
  const rest = () => {
    clearTimeout(idle);
    idle = setTimeout(end, keptMs);
    idle.unref();
  };
  return {
    warm() {
      if (threads?.hasEnded()) end();
      threads ??= new FolderThreads(program, THREADS);
      rest();
    },
    async findChanged(table, signal) {
      signal.throwIfAborted();
      const asked = threads;
      if (!asked?.isReady()) return undefined;
      rest();
      const limit = startLimit(limitMs, signal);
      try {
        return await Promise.race([asked.findChanged(table), limit.passed]);
      } catch (fault) {
        // What hangs would keep the next look waiting.
        if (!signal.aborted && asked === threads) end();
        throw fault;
      } finally {
        limit.clear();
      }
    },
    end,
  };
}

/** Rejects when the signal aborts or the time is over. */
function startLimit(limitMs: number, signal: AbortSignal) {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  const onTime = () => {
    reject(
      new Error(
        `The folders of the workspace could not be looked at within ${limitMs / 1000} s. The disk or the network that holds them may not answer.`,
      ),
    );
  };
  const timer = setTimeout(onTime, limitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    passed: promise,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
