import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { readCpu } from './cpu.ts';
import type { Message, Trial } from './worker.ts';

/** `ended`: the process died, or one test computed for more than its time, or did nothing at all. */
export type Answer = Exclude<Message, { running: unknown } | { loading: unknown }> | 'ended';

export interface Worker {
  /** `limitOf` gives the milliseconds that a test may compute, by its file and place. */
  ask(trial: Trial, limitOf: (file: string, test: number) => number): Promise<Answer>;
  stop(): void;
}

/** Compiling and loading all sources of a trial may take this long. */
const LOAD_MS = 20_000;
/** A test may compute this much longer than what `limitOf` gives, since more is compiled then. */
const START_MS = 2000;
/** A test that waits this long, whatever else the machine does, waits for nothing. */
const WAIT_MS = 300_000;
/** How often a worker's time is looked at. */
const LOOK_MS = 2000;

export function startWorker(): Worker {
  const child = fork(path.join(import.meta.dirname, 'worker.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return {
    ask: (trial, limitOf) => ask(child, trial, limitOf),
    stop: () => void child.kill('SIGKILL'),
  };
}

function ask(
  child: ChildProcess,
  trial: Trial,
  limitOf: (file: string, test: number) => number,
): Promise<Answer> {
  return new Promise((resolve) => {
    let start = { cpu: readCpu(child.pid), wall: performance.now(), limit: LOAD_MS };
    const end = (answer: Answer) => {
      clearInterval(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const timer = setInterval(() => {
      const waited = performance.now() - start.wall;
      if (readCpu(child.pid) - start.cpu > start.limit || waited > WAIT_MS + start.limit)
        end('ended');
    }, LOOK_MS);
    child.on('message', (message: Message) => {
      if (!('running' in message || 'loading' in message)) return end(message);
      const test = 'running' in message ? message.running : undefined;
      const limit = test === undefined ? LOAD_MS : START_MS + limitOf(test.file, test.test);
      start = { cpu: readCpu(child.pid), wall: performance.now(), limit };
    });
    child.on('exit', () => end('ended'));
    child.send(trial);
  });
}
