import { readlinkSync } from 'node:fs';
import { isRunning } from '../../base/faults.ts';
import { readProc } from './procFiles.ts';

/**
 * The marks of a program, inherited by all its descendants: the host that started it, and the run. With
 * them its processes are found after they leave its group (setsid, double fork), and by the next host
 * after this one was killed.
 */
const HOST_MARK = 'GATE_HOST';
export const RUN_MARK = 'GATE_RUN';

/** Nothing can exist below it, so no program is ever found there. */
const NOWHERE = '/dev/null';

/** What `execvp` searches if there is no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

export interface RunMark {
  /** Unique to the run. */
  readonly run: string;
  /**
   * `variables`: in two variables. `path`: in the last entry of PATH, for programs that get only the
   * variables that are declared for them (spec A-24); the entry names no folder.
   */
  readonly in: 'variables' | 'path';
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment with the marks added, and without those of a host that started this one. */
export function withMarks(env: Variables, mark: RunMark): Variables {
  // Windows ends trees by itself, and separates the entries of PATH by another character.
  if (process.platform === 'win32') return env;
  const host = hostMark();
  const search = env['PATH'] ?? DEFAULT_PATH;
  if (mark.in === 'path') {
    const entry = `${NOWHERE}/${HOST_MARK}=${host}/${RUN_MARK}=${mark.run}`;
    return { ...env, PATH: `${withoutEntry(search)}:${entry}` };
  }
  const path = env['PATH'] === undefined ? {} : { PATH: withoutEntry(search) };
  return { ...env, ...path, [HOST_MARK]: host, [RUN_MARK]: mark.run };
}

function withoutEntry(search: string): string {
  return search.replaceAll(/:\/dev\/null\/GATE_HOST=[^:]*/g, '');
}

/** Whether an environment, as the system lists it, carries the mark of the run. */
export function carriesRun(environment: string, run: string): boolean {
  const at = environment.indexOf(`${RUN_MARK}=${run}`);
  return at === 0 || /[\0 /]/.test(environment[at - 1] ?? '');
}

/**
 * The host in the marks of an environment, as the system lists it. Other variables may contain such text,
 * and their processes are none of ours.
 */
export function findHost(environment: string): string | undefined {
  return (IN_VARIABLE.exec(environment) ?? IN_PATH.exec(environment))?.[1];
}

/** Between the variables of a listed environment: NUL in `/proc`, a space in the output of ps. */
const NEXT = process.platform === 'linux' ? '\\0' : ' ';
const HOST = String.raw`GATE_HOST=(\d+\.\d+\.\d+)`;
const IN_VARIABLE = new RegExp(`(?:^|${NEXT})${HOST}(?=${NEXT}|$)`);
const IN_PATH = new RegExp(
  `(?:^|${NEXT})PATH=[^\\0]*:${NOWHERE}/${HOST}/GATE_RUN=[^:${NEXT}]*(?=${NEXT}|$)`,
);

/** Whether the process that a host mark names still runs, as far as that can be seen from here. */
export function isHostAlive(host: string): boolean {
  const [pid = '', start, namespace] = host.split('.');
  if (process.platform !== 'linux') return isRunning(Number(pid));
  // Ids of another namespace, such as a container's, mean other processes here.
  if (namespace !== pidNamespace()) return true;
  // Process ids are reused, so the start time is compared too.
  return readStart(Number(pid)) === start;
}

/** This process: its id, its start time, and the namespace of its id. */
export function hostMark(): string {
  own ??= `${process.pid}.${readStart(process.pid) ?? '0'}.${pidNamespace()}`;
  return own;
}

let own: string | undefined;

/** Clock ticks since boot, from /proc; undefined when no such process runs, or there is no /proc. */
function readStart(pid: number): string | undefined {
  const text = readProc(`${pid}/stat`);
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
