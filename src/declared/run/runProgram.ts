import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { endTree, members } from '../../runtime/commands/processTree.ts';
import {
  type EndedBy,
  type RunningProgram,
  startProgram,
} from '../../runtime/commands/startProgram.ts';
import type { ConfinedStart, Cut, PreparedRun } from '../../runtime/confined.ts';

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
  /** Starts it in the sandbox. */
  readonly confined?: ConfinedStart | undefined;
  /** Files outside the workspace that it reads, absolute: a sandbox shows them. */
  readonly reads?: readonly string[];
}

export interface ProgramResult {
  readonly ended: EndedBy | 'not started';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** False when standard output is not UTF-8: `stdout` has replacement characters. */
  readonly isUtf8: boolean;
  /** The first megabyte. */
  readonly stderr: string;
  /** There was more of `stderr`. */
  readonly isStderrCut: boolean;
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
  // A relative folder would find programs of the workspace.
  const folders = env['PATH']?.split(path.delimiter).filter(path.isAbsolute);
  if (folders !== undefined) kept['PATH'] = folders.join(path.delimiter);
  if (env['HOME']) kept['HOME'] = env['HOME'];
  // On Windows, programs don't find their libraries without it.
  if (process.platform === 'win32' && env['SystemRoot']) kept['SystemRoot'] = env['SystemRoot'];
  return kept;
}

/** Runs a program until it exits, times out or is aborted, and leaves no orphaned processes. */
export async function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  const started = performance.now();
  const prepared = await prepare(request);
  const ms = (): number => Math.round(performance.now() - started);
  if (!prepared.ok) return { ended: 'not started', ...NOTHING, fault: prepared.error, ms: ms() };
  const { launch, descriptors, after } = prepared.data;
  const start = await startProgram({
    ...launch,
    descriptors,
    // No variable of its own: a declared tool gets only the declared ones (spec A-24).
    mark: { run: randomUUID(), in: 'path' },
    ending: endTree,
    ...(request.stdin !== undefined && { stdin: { content: request.stdin } }),
    keep: { stdout: { head: request.maxStdout }, stderr: { head: MAX_STDERR } },
    maxStdout: request.maxStdout,
    timeoutMs: request.timeoutMs,
    ...(request.confined?.waiting && { waiting: request.confined.waiting }),
    signal: request.signal,
  });
  if (!start.ok) {
    await after?.();
    const { reason, message } = start.fault;
    return reason === 'aborted'
      ? { ended: 'abort', ...NOTHING, ms: ms() }
      : { ended: 'not started', ...NOTHING, fault: message, ms: ms() };
  }
  const { program } = start;
  // Everything that a sandbox runs ends with it, so its pipes close too.
  const over = after && program.closed.then(() => findCut(program)).then(after);
  const ended = await program.ended;
  await program.drained();
  if (ended === 'exit' && (await members(program.tree)).length > 0) await program.end();
  const whole = await over;
  if (whole?.ok === false) {
    return { ended: 'not started', ...NOTHING, fault: whole.error, ms: ms() };
  }
  return { ended, ...program.status(), ...readOutput(program), ms: ms() };
}

async function findCut({ ended }: RunningProgram): Promise<Cut | undefined> {
  const by = await ended.catch(() => undefined);
  return by === 'exit' ? undefined : 'limit';
}

/** The run as it is started: unchanged, or confined. */
async function prepare({
  confined,
  reads,
  ...launch
}: ProgramRequest): Promise<Outcome<Omit<PreparedRun, 'after'> & Partial<PreparedRun>>> {
  const { argv, cwd, env } = launch;
  if (confined === undefined) return success({ launch: { argv, cwd, env }, descriptors: [] });
  // Declared variables are set inside only: one such as BASH_ENV acts on what starts the sandbox.
  const { PATH = '', HOME = '', ...declared } = env;
  return confined.prepare({ argv, cwd, env: { PATH, HOME }, declared, ...(reads && { reads }) });
}

const NOTHING = {
  exitCode: null,
  signal: null,
  stdout: '',
  isUtf8: true,
  stderr: '',
  isStderrCut: false,
  stdoutBytes: 0,
  stderrBytes: 0,
} as const;

function readOutput(program: RunningProgram) {
  const stdout = program.read('stdout');
  const stderr = program.read('stderr');
  return {
    stdout: stdout.head,
    isUtf8: stdout.isUtf8,
    stderr: stderr.head,
    isStderrCut: stderr.omitted > 0,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
  };
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
