import { readFileSync } from 'node:fs';

/** A tick of the times in `/proc` in milliseconds. */
const TICK_MS = 10;

/**
 * The milliseconds that a process and those that it waited for have computed. Unlike the clock, they
 * don't depend on what else the machine does, so that a busy machine kills no mutant. 0 where there
 * is no `/proc`.
 */
export function readCpu(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return 0;
  }
}
