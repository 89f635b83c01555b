import { readFileSync } from 'node:fs';

/** Reads a file below `/proc`. Empty when there is no such process or no `/proc`. */
export function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'latin1');
  } catch {
    // It has exited or belongs to another user.
    return '';
  }
}

/**
 * The variables that a process was started with, as the system lists them. `starting` while it loads its
 * program: the list is empty for that moment, whatever was passed. Empty when it has exited or belongs to
 * another user.
 */
export function readEnvironment(pid: number): string | 'starting' {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It has exited or belongs to another user.
    return '';
  }
  return text === '' && isStarting(readProc(`${pid}/stat`)) ? 'starting' : text;
}

/** Where the variables end in memory, and that it is a thread of the kernel; after the name (proc(5)). */
const ENV_END = 48;
const FLAGS = 6;
const KERNEL_THREAD = 0x200000;

function isStarting(stat: string): boolean {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isOver = /^[ZXx]?$/.test(fields[0] ?? '');
  return !isOver && fields[ENV_END] === '0' && (Number(fields[FLAGS]) & KERNEL_THREAD) === 0;
}
