import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { getCode } from '../../base/faults.ts';
import { LONGEST_TIMER, MB } from '../../base/units.ts';
import { RUN_MARK } from './environment.ts';
import { createKeptOutput, type KeptSize, type KeptText } from './keptOutput.ts';

/** What the system starts. A sandbox confines a program by changing this and nothing else. */
export interface Launch {
  /** Program and arguments as the program receives them: no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  /** The host's own folder when absent. */
  readonly cwd?: string;
  /** The whole environment: nothing of the host's own is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramOptions extends Launch {
  readonly ending: Ending;
  /** Value of the variable that all descendants inherit, so that `endTree` finds them. Absent: not set. */
  readonly mark?: string;
  /** Content is written and the input closed; `open` is for `write`. Absent: the null device. */
  readonly stdin?: 'open' | { readonly content: string | Buffer };
  readonly stderr?: 'ignore';
  /** Bytes kept for `read`; none where absent. The pipes are read in any case. */
  readonly keep?: Partial<Readonly<Record<OutputName, KeptSize>>>;
  /** Bytes of standard output; a program that writes more is ended (`flood`). */
  readonly maxStdout?: number;
  /** Milliseconds until it is ended; no limit when absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** `close`: a program also counts as running while a process holds its pipes. Default: `exit`. */
  readonly until?: 'exit' | 'close';
}

/**
 * What is ended with a program: only itself, the process group that it then leads (both at once,
 * by SIGKILL), or all that a function such as `endTree` finds; the program leads a group there too.
 */
export type Ending = 'program' | 'group' | ((tree: ProcessGroup) => Promise<void>);

/** A program's processes: the leader of its group, and the mark that all of them inherit. */
export interface ProcessGroup {
  readonly leader: number;
  readonly mark?: string;
}

export type EndedBy = 'exit' | 'timeout' | 'abort' | 'flood';
export type OutputName = 'stdout' | 'stderr';

export interface ExitStatus {
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProgram {
  readonly tree: ProcessGroup;
  /** What ended it; after a limit or an abort not before `ending` has done its work. */
  readonly ended: Promise<EndedBy>;
  /** Resolves when it has exited and no process holds its pipes open. */
  readonly closed: Promise<ExitStatus>;
  status(): ExitStatus;
  /** Called for every byte that is written from now on. Right after the start it misses none. */
  onOutput(listener: (bytes: Buffer, from: OutputName) => void): void;
  /** While `wait`, nothing is read, so a program that writes on has to wait as well. */
  throttle(wait: boolean): void;
  /** What was kept of its output so far. */
  read(from: OutputName): KeptText;
  /** False when it takes no input. */
  write(data: string): boolean;
  closeInput(): void;
  /** Sends a signal to its group, as a terminal's Ctrl+C does, or to itself when it has none. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it and what its `ending` includes. */
  end(): Promise<void>;
  /** From now on neither limit nor abort ends it, and `ended` stays open. False: it is too late. */
  release(): boolean;
  /** After its exit: resolves when what it wrote last has been read. */
  drained(): Promise<void>;
}

export type Start =
  | { readonly ok: true; readonly program: RunningProgram }
  | { readonly ok: false; readonly fault: StartFault };

export interface StartFault {
  readonly reason: 'aborted' | 'failed';
  /** Of the system, such as `ENOENT`: the program or its folder does not exist. */
  readonly code?: string;
  readonly message: string;
}

/** Starts a program: the one place from which the host does. What cannot start is a value. */
export async function startProgram(options: ProgramOptions): Promise<Start> {
  if (options.signal?.aborted) {
    return {
      ok: false,
      fault: { reason: 'aborted', message: 'It was aborted before it started.' },
    };
  }
  try {
    const child = launch(options);
    await waitForSpawn(child);
    if (child.pid === undefined) throw new Error('The system gave it no process.');
    return { ok: true, program: createProgram(child, child.pid, options) };
  } catch (fault) {
    return { ok: false, fault: describeStart(fault) };
  }
}

function launch({ argv, cwd, env, mark, ending, stdin, stderr }: ProgramOptions) {
  const [file, ...args] = argv;
  return spawn(file, args, {
    ...(cwd !== undefined && { cwd }),
    env: mark === undefined ? { ...env } : { ...env, [RUN_MARK]: mark },
    detached: ending !== 'program' && process.platform !== 'win32',
    // Programs such as rg read a pipe on standard input, so only those that are given input get one.
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', stderr ?? 'pipe'],
    windowsHide: true,
  });
}

function waitForSpawn(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    // A later one says that a signal could not be sent: then nobody waits any more.
    child.on('error', reject);
  });
}

function describeStart(fault: unknown): StartFault {
  const code = getCode(fault);
  const message = fault instanceof Error ? fault.message : String(fault);
  return { reason: 'failed', message, ...(code !== undefined && { code }) };
}

function createProgram(child: ChildProcess, pid: number, options: ProgramOptions): RunningProgram {
  const { ending, mark, stdin } = options;
  const tree: ProcessGroup = { leader: pid, ...(mark !== undefined && { mark }) };
  const closed = Promise.withResolvers<ExitStatus>();
  const status = () => ({ exitCode: child.exitCode, signal: child.signalCode });
  child.once('close', () => closed.resolve(status()));
  const end = () => endProgram(child, tree, ending);
  const { ended, settle, release } = watch(child, options, end);
  const pipes = connectOutput(child, options, () => settle('flood'));
  // A program may exit without reading its input.
  child.stdin?.on('error', () => undefined);
  if (typeof stdin === 'object') child.stdin?.end(stdin.content);
  return {
    tree,
    ended,
    closed: closed.promise,
    status,
    ...pipes,
    write(data) {
      if (!child.stdin?.writable) return false;
      child.stdin.write(data);
      return true;
    },
    closeInput: () => void child.stdin?.end(),
    signal: (signal) => send(child, pid, ending, signal),
    end,
    release,
  };
}

async function endProgram(child: ChildProcess, tree: ProcessGroup, ending: Ending): Promise<void> {
  if (typeof ending === 'function') return ending(tree);
  send(child, tree.leader, ending, 'SIGKILL');
}

function send(child: ChildProcess, pid: number, ending: Ending, signal: NodeJS.Signals): void {
  try {
    if (ending === 'program' || process.platform === 'win32') child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // It is gone already, or no longer ours to signal.
  }
}

/** Waits for the first of: the end by itself, the time limit, the abort and too much output. */
function watch(child: ChildProcess, options: ProgramOptions, end: () => Promise<void>) {
  const { signal, timeoutMs, until = 'exit' } = options;
  const { promise, resolve, reject } = Promise.withResolvers<EndedBy>();
  let timer: NodeJS.Timeout | undefined;
  let open = true;
  const close = (): boolean => {
    const first = open;
    open = false;
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    return first;
  };
  const settle = (by: EndedBy): void => {
    if (!close()) return;
    if (by === 'exit') resolve(by);
    else end().then(() => resolve(by), reject);
  };
  const onAbort = (): void => settle('abort');
  if (timeoutMs !== undefined) {
    timer = setTimeout(() => settle('timeout'), Math.min(timeoutMs, LONGEST_TIMER));
  }
  child.once(until, () => settle('exit'));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return { ended: promise, settle, release: close };
}

type Output = Pick<RunningProgram, 'onOutput' | 'throttle' | 'read' | 'drained'>;

function connectOutput(child: ChildProcess, options: ProgramOptions, onFlood: () => void): Output {
  const { keep = {}, maxStdout } = options;
  const pipes = (['stdout', 'stderr'] as const).flatMap((name) => {
    const stream = child[name];
    return stream === null ? [] : [{ name, stream }];
  });
  const kept = { stdout: createKeptOutput(keep.stdout), stderr: createKeptOutput(keep.stderr) };
  let waits = false;
  let stdoutBytes = 0;
  for (const { name, stream } of pipes) {
    // A pipe that breaks with its process says nothing the exit code does not say.
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => kept[name].add(bytes));
  }
  if (maxStdout !== undefined) {
    child.stdout?.on('data', ({ length }: Buffer) => {
      stdoutBytes += length;
      if (stdoutBytes > maxStdout) onFlood();
    });
  }
  return {
    onOutput(listener) {
      for (const { name, stream } of pipes) {
        stream.on('data', (bytes: Buffer) => listener(bytes, name));
      }
    },
    throttle(wait) {
      waits = wait;
      for (const { stream } of pipes) wait ? stream.pause() : stream.resume();
    },
    read: (from) => kept[from].read(),
    drained: () =>
      drain(
        child,
        pipes.map(({ stream }) => stream),
        () => waits,
      ),
  };
}

/**
 * What the program wrote last is still in the pipe, and stays there while its reader is slower. A
 * process that was left running may hold the pipe open, or fill it, for ever, so this ends with a
 * moment of free reading or with more bytes than a pipe holds.
 */
function drain(
  child: ChildProcess,
  streams: readonly Readable[],
  waits: () => boolean,
): Promise<void> {
  const open = streams.filter((stream) => !stream.readableEnded);
  if (open.length === 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  const count = (bytes: Buffer) => {
    arrived += bytes.length;
    if (arrived > PIPE_BYTES) resolve();
  };
  let over = false;
  let timer: NodeJS.Timeout;
  // A late timer comes before the reading that was due: the look is after that.
  const wait = () => {
    if (over) return;
    timer = setTimeout(() => setImmediate(() => (waits() ? wait() : resolve())), PIPE_MS);
  };
  wait();
  for (const stream of open) stream.on('data', count);
  child.once('close', () => resolve());
  return promise.finally(() => {
    over = true;
    clearTimeout(timer);
    for (const stream of open) stream.off('data', count);
  });
}

/** Milliseconds after the exit in which what is still in the pipe arrives. */
const PIPE_MS = 150;
/** More than the pipes and the streams behind them hold. */
const PIPE_BYTES = MB;
