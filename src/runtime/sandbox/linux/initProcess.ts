import { setTimeout as delay } from 'node:timers/promises';
import { readProc } from '../../commands/procFiles.ts';

/**
 * Process 1 of a sandbox. bwrap may exit before it; once it has ended, the kernel has ended everything that ran in
 * the sandbox.
 */
export interface InitProcess {
  readonly pid: number;
  /** When it began, by the system: another process may get the same id. */
  readonly start: string;
}

/** Reads it from what bwrap reports before it lets the sandbox begin. Undefined: not reported, or it has ended. */
export function findInit(report: string): InitProcess | undefined {
  const pid = Number(/"child-pid": (\d+)\D/.exec(report)?.[1] ?? 0);
  const start = pid > 0 ? readStart(pid) : undefined;
  return start === undefined ? undefined : { pid, start };
}

/** Ends it, if it runs, and resolves when it has ended; false if it can't be ended in time. */
export async function endInit({ pid, start }: InitProcess): Promise<boolean> {
  const began = performance.now();
  while (readStart(pid) === start) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or ends by itself: the kernel kills it when bwrap has exited.
    }
    if (performance.now() - began > LIMIT_MS) return false;
    await delay(1);
  }
  return true;
}

const LIMIT_MS = 10_000;

/** Undefined for a process that has ended, also while its parent has not noticed yet. */
function readStart(pid: number): string | undefined {
  const stat = readProc(`${pid}/stat`);
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || /^[ZXx]$/.test(state) ? undefined : fields[START];
}

/** Its time of start, counted from the field after its state (proc(5)). */
const START = 18;
