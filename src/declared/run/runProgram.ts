import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { LONGEST_TIMER, MB } from '../../base/units.ts';
import { endTree } from '../../runtime/commands/processTree.ts';

/** A program to run: argv as it is, no shell, and nothing of our environment but what is named. */
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
  readonly ended: 'exit' | 'timeout' | 'abort' | 'flood' | 'not started';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** The first MB. */
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Why it did not start. */
  readonly fault?: string;
  /** Whole milliseconds. */
  readonly ms: number;
}

/** Bytes of standard error kept (B-35). */
const MAX_STDERR = MB;
/** Milliseconds after the exit in which what is still in the pipe arrives. */
const PIPE_MS = 150;

/** PATH and HOME of the given environment: all that a declared tool gets unasked (A-24, E-7). */
export function baseEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  if (env['PATH'] !== undefined) kept['PATH'] = env['PATH'];
  if (env['HOME']) kept['HOME'] = env['HOME'];
  // Without it no program finds its libraries on Windows.
  if (process.platform === 'win32' && env['SystemRoot']) kept['SystemRoot'] = env['SystemRoot'];
  return kept;
}

/** Runs a program to its end, its time limit or the abort, and leaves no process of it behind. */
export async function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  const started = performance.now();
  const [program, ...args] = request.argv;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env },
    // A group of its own, so that the whole of it can be ended.
    detached: process.platform !== 'win32',
    stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const fault = await spawned(child);
  const ms = (): number => Math.round(performance.now() - started);
  const { pid } = child;
  if (fault !== undefined || pid === undefined)
    return notStarted(fault?.message ?? 'no process', ms());
  const output = collect(child, request.maxStdout);
  writeInput(child, request.stdin);
  const ended = await firstOf(child, output.flooded, request);
  await clean(child, pid, ended);
  const { stdout, stderr, stdoutBytes, stderrBytes } = output.read();
  const { exitCode, signalCode: signal } = child;
  return { ended, exitCode, signal, stdout, stderr, stdoutBytes, stderrBytes, ms: ms() };
}

function notStarted(fault: string, ms: number): ProgramResult {
  const nothing = { exitCode: null, signal: null, stdout: '', stderr: '' };
  return { ended: 'not started', ...nothing, stdoutBytes: 0, stderrBytes: 0, fault, ms };
}

function spawned(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    // It may also come later, when a signal cannot be sent: then nobody waits any more.
    child.on('error', resolve);
  });
}

function writeInput(child: ChildProcess, text: string | undefined): void {
  // A program may exit without reading: that is its right.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text);
}

function collect(child: ChildProcess, maxStdout: number) {
  const parts: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  const bytes = { stdout: 0, stderr: 0 };
  const flooded = Promise.withResolvers<'flood'>();
  for (const name of ['stdout', 'stderr'] as const) {
    const max = name === 'stdout' ? maxStdout : MAX_STDERR;
    child[name]?.on('data', (chunk: Buffer) => {
      if (bytes[name] < max) parts[name].push(chunk.subarray(0, max - bytes[name]));
      bytes[name] += chunk.length;
      if (name === 'stdout' && bytes.stdout > max) flooded.resolve('flood');
    });
    child[name]?.on('error', () => undefined);
  }
  return {
    flooded: flooded.promise,
    read: () => ({
      stdout: Buffer.concat(parts.stdout).toString('utf8'),
      stderr: Buffer.concat(parts.stderr).toString('utf8'),
      stdoutBytes: bytes.stdout,
      stderrBytes: bytes.stderr,
    }),
  };
}

function firstOf(
  child: ChildProcess,
  flooded: Promise<'flood'>,
  { timeoutMs, signal }: ProgramRequest,
): Promise<'exit' | 'timeout' | 'abort' | 'flood'> {
  return new Promise((resolve) => {
    const onAbort = (): void => settle('abort');
    const timer = setTimeout(() => settle('timeout'), Math.min(timeoutMs, LONGEST_TIMER));
    const settle = (ended: 'exit' | 'timeout' | 'abort' | 'flood'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(ended);
    };
    child.once('exit', () => settle('exit'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    void flooded.then(settle);
  });
}

/** Ends what is left of the program: its whole group when it was stopped, or what it left running. */
async function clean(
  child: ChildProcess,
  pid: number,
  ended: ProgramResult['ended'],
): Promise<void> {
  // No variable marks the children: the environment of a declared tool holds what was declared, no more.
  const tree = { leader: pid, mark: randomUUID() };
  if (ended !== 'exit') await endTree(tree);
  await closed(child);
  if (ended === 'exit' && groupLives(pid)) await endTree(tree);
}

/** What was left running may hold the pipe open for ever, so this waits a moment only. */
function closed(child: ChildProcess): Promise<void> {
  const isOpen = [child.stdout, child.stderr].some((stream) => stream?.readableEnded === false);
  if (!isOpen) return Promise.resolve();
  return new Promise((resolve) => {
    // A late timer comes before the reading that was due: the look is after that.
    const timer = setTimeout(() => setImmediate(resolve), PIPE_MS);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function groupLives(leader: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** How the original names an unhappy end: `exit status 3`, `signal: killed`. */
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
