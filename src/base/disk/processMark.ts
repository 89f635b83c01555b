import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from '../faults.ts';

/**
 * Names a process among all that may share a folder: its id, its start, the namespace of its id, the
 * machine's boot, and the machine. Ids alone are reused, and are others in a container.
 */
export function processMark(): string {
  own ??= [process.pid, readStart(process.pid) ?? '0', pidNamespace(), boot(), machine()].join('.');
  return own;
}

let own: string | undefined;

/** The form of a mark, also of those of earlier versions, which end after the namespace. */
export const MARK = String.raw`\d+\.\d+\.\d+(?:\.[0-9a-f]+\.[0-9a-f]+)?`;

const WHOLE = new RegExp(`^${MARK}$`);

/**
 * Whether the process that a mark names still runs. `unknown` if that can't be seen from here: it belongs
 * to another namespace or machine, or the text is no mark.
 */
export function readMark(mark: string): 'running' | 'ended' | 'unknown' {
  if (!WHOLE.test(mark)) return 'unknown';
  const [pid = '', start, namespace, booted = boot(), on = machine()] = mark.split('.');
  if (on !== machine()) return 'unknown';
  // The machine was started again since; the namespaces of a container are new then.
  if (booted !== boot()) return 'ended';
  if (process.platform !== 'linux') return isRunning(Number(pid)) ? 'running' : 'ended';
  if (namespace !== pidNamespace()) return 'unknown';
  return readStart(Number(pid)) === start ? 'running' : 'ended';
}

/** Clock ticks since boot, from /proc; undefined when no such process runs, or there is no /proc. */
function readStart(pid: number): string | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything; field 22 is the 20th after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // Killed, and its parent has not noticed yet, or never will.
  return text === '' || ENDED.test(fields[0] ?? '') ? undefined : fields[19];
}

const ENDED = /^[ZXx]$/;

/** The number of our namespace of process ids; `0` where there are none. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    // No Linux, or no /proc.
    return '0';
  }
}

/** The start of the kernel's id of this boot; `0` where there is none. */
function boot(): string {
  bootId ??= read('/proc/sys/kernel/random/boot_id').slice(0, 8) || '0';
  return bootId;
}

let bootId: string | undefined;

/** A short hash of the machine's name (FNV-1a): names may hold what separates the parts. */
function machine(): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(hostname())) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It has exited, or there is no /proc.
    return '';
  }
}
