import { type ResourceLimits, Worker } from 'node:worker_threads';
import { getCode, getMessage } from '../../base/faults.ts';
import { LONGEST_TIMER } from '../../base/units.ts';

export interface WorkerRun {
  /** The thread's program; the bundle has it under another name than the source. */
  readonly program: URL;
  /** Its `workerData`; whatever can be cloned. */
  readonly data: unknown;
  /** Milliseconds until the thread is ended. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly resourceLimits: ResourceLimits;
}

export type WorkerResult =
  | { readonly ok: true; readonly message: unknown }
  | { readonly ok: false; readonly fault: WorkerFault };

export interface WorkerFault {
  /** `memory`: more than the resource limits; `failed`: it threw, or ended without a message. */
  readonly reason: 'timeout' | 'abort' | 'memory' | 'failed';
  readonly message: string;
}

/**
 * Runs a program in a thread of its own until its first message, its end, the time limit or the
 * abort, each of which ends the thread. For work that may take long or too much: it cannot hold up the
 * host, and its memory is bounded. What it prints goes nowhere, since the host's standard output
 * carries the protocol alone.
 */
export async function runWorker(run: WorkerRun): Promise<WorkerResult> {
  if (run.signal.aborted) return toFault('abort', 'It was aborted before it started.');
  let worker: Worker;
  try {
    worker = startWorker(run);
  } catch (fault) {
    // Data that cannot be cloned, or a program that is no file.
    return toFault('failed', getMessage(fault));
  }
  const result = await waitForFirst(worker, run);
  // Not awaited: a thread inside a long call of the engine only ends after it.
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
  // Unread, it would pile up here.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

function waitForFirst(worker: Worker, { timeoutMs, signal }: WorkerRun): Promise<WorkerResult> {
  const { promise, resolve } = Promise.withResolvers<WorkerResult>();
  const onAbort = (): void => resolve(toFault('abort', 'It was aborted.'));
  const timer = setTimeout(
    () => resolve(toFault('timeout', `It did not end within ${timeoutMs} ms.`)),
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
    resolve(toFault('failed', `It ended without a message (${code}).`)),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

function toFault(reason: WorkerFault['reason'], message: string): WorkerResult {
  return { ok: false, fault: { reason, message } };
}
