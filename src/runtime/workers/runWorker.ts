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
    // Drained, because unread output would accumulate here. A stream that is read keeps the process alive.
    worker.stdout.resume();
    worker.stderr.resume();
  } catch (fault) {
    // The data can't be cloned, or the program is not a file.
    return toFault('failed', getMessage(fault));
  }
  const result = await waitForFirst(worker, run);
  // Not awaited: a thread inside a long native call terminates only after it.
  void worker.terminate();
  return result;
}

/** Starts a thread whose output does not reach the host's. Throws if the data can't be cloned. */
export function startWorker({
  program,
  data,
  resourceLimits,
}: Pick<WorkerRun, 'program' | 'data' | 'resourceLimits'>): Worker {
  const worker = new Worker(program, {
    workerData: data,
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  // A thread that is being terminated may still fail, and nobody waits for that.
  worker.on('error', () => undefined);
  return worker;
}

interface WaitLimits extends Pick<WorkerRun, 'timeoutMs' | 'signal'> {
  /** Asked when the time is over: for how long to wait on. Never rejects. Default: 0. */
  getLeftMs?(): Promise<number>;
}

/** The next message of the thread, or why there will be none. */
export function waitForFirst(
  worker: Worker,
  { timeoutMs, signal, getLeftMs = async () => 0 }: WaitLimits,
): Promise<WorkerResult> {
  const { promise, resolve } = Promise.withResolvers<WorkerResult>();
  const onAbort = (): void => resolve(toFault('abort', 'The worker was aborted.'));
  let isOver = false;
  const onTime = async (): Promise<void> => {
    const left = await getLeftMs();
    if (isOver) return;
    if (left > 0) timer = setTimeout(onTime, left);
    else resolve(toFault('timeout', `The worker did not finish within ${timeoutMs} ms.`));
  };
  let timer = setTimeout(onTime, Math.min(timeoutMs, LONGEST_TIMER));
  signal.addEventListener('abort', onAbort, { once: true });
  const listeners = {
    message: (message: unknown) => resolve({ ok: true, message }),
    messageerror: (fault: unknown) => resolve(toFault('failed', getMessage(fault))),
    error: (fault: unknown) => {
      const reason = getCode(fault) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed';
      resolve(toFault(reason, getMessage(fault)));
    },
    exit: (code: number) =>
      resolve(toFault('failed', `The worker exited without a message (${code}).`)),
  };
  for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
  return promise.finally(() => {
    isOver = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
  });
}

export function toFault(reason: WorkerFault['reason'], message: string): WorkerResult {
  return { ok: false, fault: { reason, message } };
}
