import { type ResourceLimits, Worker } from 'node:worker_threads';
import { getCode, getMessage } from '../../base/faults.ts';
import { LONGEST_TIMER } from '../../base/units.ts';

export interface WorkerRun {
  /** The module to run; its name in the bundle differs from the source. */
  readonly program: URL;
  /** Passed as `workerData`; must be cloneable. */
  readonly data: unknown;
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly resourceLimits: ResourceLimits;
}

export type WorkerResult =
  | { readonly ok: true; readonly message: unknown }
  | { readonly ok: false; readonly fault: WorkerFault };

export interface WorkerFault {
  /** `memory`: exceeded the resource limits; `failed`: threw, or exited without a message. */
  readonly reason: 'timeout' | 'abort' | 'memory' | 'failed';
  readonly message: string;
}

/**
 * Runs a program in its own thread until its first message, its exit, the time limit or the abort,
 * and then terminates the thread. For work that may take too long or too much memory: it can't
 * block the host. Its output is discarded, because the host's standard output carries the protocol.
 */
export async function runWorker(run: WorkerRun): Promise<WorkerResult> {
  if (run.signal.aborted) return toFault('abort', 'The worker was aborted before it started.');
  let worker: Worker;
  try {
    worker = startWorker(run);
  } catch (fault) {
    // The data can't be cloned, or the program is not a file.
    return toFault('failed', getMessage(fault));
  }
  const result = await waitForFirst(worker, run);
  // Not awaited: a thread inside a long native call terminates only after it.
  void worker.terminate();
  return result;
}

function startWorker({ program, data, resourceLimits }: WorkerRun): Worker {
  const worker = new Worker(program, {
    workerData: data,
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  // Drained, because unread output would accumulate here.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

function waitForFirst(worker: Worker, { timeoutMs, signal }: WorkerRun): Promise<WorkerResult> {
  const { promise, resolve } = Promise.withResolvers<WorkerResult>();
  const onAbort = (): void => resolve(toFault('abort', 'The worker was aborted.'));
  const timer = setTimeout(
    () => resolve(toFault('timeout', `The worker did not finish within ${timeoutMs} ms.`)),
    Math.min(timeoutMs, LONGEST_TIMER),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  worker.once('message', (message: unknown) => resolve({ ok: true, message }));
  worker.once('messageerror', (fault) => resolve(toFault('failed', getMessage(fault))));
  worker.once('error', (fault) => {
    const reason = getCode(fault) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed';
    resolve(toFault(reason, getMessage(fault)));
  });
  worker.once('exit', (code) =>
    resolve(toFault('failed', `The worker exited without a message (${code}).`)),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

function toFault(reason: WorkerFault['reason'], message: string): WorkerResult {
  return { ok: false, fault: { reason, message } };
}
