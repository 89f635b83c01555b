import { MARK, processMark } from '../../base/disk/processMark.ts';

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
  const host = processMark();
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
const HOST = `GATE_HOST=(${MARK})`;
const IN_VARIABLE = new RegExp(`(?:^|${NEXT})${HOST}(?=${NEXT}|$)`);
const IN_PATH = new RegExp(
  `(?:^|${NEXT})PATH=[^\\0]*:${NOWHERE}/${HOST}/GATE_RUN=[^:${NEXT}]*(?=${NEXT}|$)`,
);
