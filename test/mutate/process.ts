import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { readCpu } from './cpu.ts';
import type { Message, Trial } from './worker.ts';

/** A trial that was cut short; the process must not be asked again. */
export interface Ended {
  /** `died`: the process is gone; `timedOut`: a test computed for more than its time, or did nothing at all. */
  readonly ended: 'died' | 'timedOut';
  /** What ran then: a test, or the file that was loaded; undefined before the first. */
  readonly at: { readonly file: string; readonly test?: number } | undefined;
}

export type Answer = Exclude<Message, { running: unknown } | { loading: unknown }> | Ended;

export interface Worker {
  /** `limitOf` gives the milliseconds that a test may compute, by its file and place. */
  ask(trial: Trial, limitOf: (file: string, test: number) => number): Promise<Answer>;
  stop(): void;
}

/** Compiling and loading all sources of a trial may take this long. */
const LOAD_MS = 20_000;
export interface Limits {
  /** A test may compute this much longer than what `limitOf` gives, since more is compiled then. */
  readonly startMs: number;
  /** A test that waits this long, whatever else the machine does, waits for nothing. */
  readonly waitMs: number;
  /** How often a worker's time is looked at. */
  readonly lookMs: number;
}

const LIMITS: Limits = { startMs: 2000, waitMs: 300_000, lookMs: 2000 };

export function startWorker(limits = LIMITS): Worker {
  const child = fork(path.join(import.meta.dirname, 'worker.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return {
    ask: (trial, limitOf) => ask(child, trial, limitOf, limits),
    stop: () => void child.kill('SIGKILL'),
  };
}

function ask(
  child: ChildProcess,
  trial: Trial,
  limitOf: (file: string, test: number) => number,
  { startMs, waitMs, lookMs }: Limits,
): Promise<Answer> {
  return new Promise((resolve) => {
    let at: Ended['at'];
    let start = { cpu: readCpu(child.pid), wall: performance.now(), limit: LOAD_MS };
    const end = (answer: Answer) => {
      clearInterval(timer);
      child.off('message', receive).off('exit', die);
      resolve(answer);
    };
    const die = () => end({ ended: 'died', at });
    const receive = (message: Message) => {
      if (!('running' in message || 'loading' in message)) return end(message);
      at = 'running' in message ? message.running : { file: message.loading };
      const test = 'running' in message ? message.running : undefined;
      const limit = test === undefined ? LOAD_MS : startMs + limitOf(test.file, test.test);
      start = { cpu: readCpu(child.pid), wall: performance.now(), limit };
    };
    const timer = setInterval(() => {
      const waited = performance.now() - start.wall;
      if (readCpu(child.pid) - start.cpu > start.limit || waited > waitMs + start.limit)
        end({ ended: 'timedOut', at });
    }, lookMs);
    child.on('message', receive).on('exit', die);
    // A process that died after its last answer sends no other event.
    if (child.exitCode !== null || child.signalCode !== null || !child.connected) return die();
    child.send(trial);
  });
}
