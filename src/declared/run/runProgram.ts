import { MB } from '../../base/units.ts';
import { endTree } from '../../runtime/commands/processTree.ts';
import {
  type EndedBy,
  type RunningProgram,
  startProgram,
} from '../../runtime/commands/startProgram.ts';

/** A program to run: argv without a shell, and only the given environment. */
export interface ProgramRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: standard input is closed. */
  readonly stdin: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of standard output kept; a program that writes more is ended. */
  readonly maxStdout: number;
}

export interface ProgramResult {
  readonly ended: EndedBy | 'not started';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** The first megabyte. */
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Why it did not start. */
  readonly fault?: string;
  /** Whole milliseconds. */
  readonly ms: number;
}

/** Bytes of standard error kept (spec B-35). */
const MAX_STDERR = MB;

/** PATH and HOME of the given environment: what every declared tool gets (spec A-24, E-7). */
export function baseEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  if (env['PATH'] !== undefined) kept['PATH'] = env['PATH'];
  if (env['HOME']) kept['HOME'] = env['HOME'];
  // On Windows, programs don't find their libraries without it.
  if (process.platform === 'win32' && env['SystemRoot']) kept['SystemRoot'] = env['SystemRoot'];
  return kept;
}

/** Runs a program until it exits, times out or is aborted, and leaves no orphaned processes. */
export async function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  const started = performance.now();
  const start = await startProgram({
    argv: request.argv,
    cwd: request.cwd,
    // No variable marks the children: a declared tool gets only the declared environment.
    env: request.env,
    ending: endTree,
    ...(request.stdin !== undefined && { stdin: { content: request.stdin } }),
    keep: { stdout: { head: request.maxStdout }, stderr: { head: MAX_STDERR } },
    maxStdout: request.maxStdout,
    timeoutMs: request.timeoutMs,
    signal: request.signal,
  });
  const ms = (): number => Math.round(performance.now() - started);
  if (!start.ok) {
    const { reason, message } = start.fault;
    return reason === 'aborted'
      ? { ended: 'abort', ...NOTHING, ms: ms() }
      : { ended: 'not started', ...NOTHING, fault: message, ms: ms() };
  }
  const { program } = start;
  const ended = await program.ended;
  await program.drained();
  if (ended === 'exit' && groupLives(program)) await program.end();
  return { ended, ...program.status(), ...readOutput(program), ms: ms() };
}

const NOTHING = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
} as const;

function readOutput(program: RunningProgram) {
  const stdout = program.read('stdout');
  const stderr = program.read('stderr');
  return {
    stdout: stdout.head,
    stderr: stderr.head,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
  };
}

/** Whether the program left others of its group running. */
function groupLives({ tree }: RunningProgram): boolean {
  if (process.platform === 'win32') return false;
  try {
    return process.kill(-tree.leader, 0);
  } catch {
    return false;
  }
}

/** Describes a failed exit as the original does: `exit status 3`, `signal: killed`. */
export function describeExit({ exitCode, signal }: ProgramResult): string {
  if (signal !== null) return `signal: ${SIGNALS[signal] ?? signal}`;
  return `exit status ${exitCode ?? -1}`;
}

const SIGNALS: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGKILL: 'killed',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault',
  SIGABRT: 'aborted',
  SIGINT: 'interrupt',
  SIGHUP: 'hangup',
};
