import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { getCode } from '../../base/faults.ts';
import type { AheadRun, Descriptor, Launch, StartedChild } from '../confined.ts';
import { passTime, type Waiting } from '../waiting.ts';
import { createKeptOutput, drain, type KeptSize, type KeptText } from './keptOutput.ts';
import { type RunMark, withMarks } from './marks.ts';
import { findFormatFault } from './programFormat.ts';

export interface ProgramOptions extends Launch {
  readonly ending: Ending;
  /** All descendants inherit it, so that `endTree` and the next host find them. Absent: no mark. */
  readonly mark?: RunMark;
  /**
   * Content is written and the input then closed; `open` leaves it open for `write`. Default: the
   * null device.
   */
  readonly stdin?: 'open' | { readonly content: string | Buffer };
  readonly stderr?: 'ignore';
  /** Further descriptors, from 3 upwards. */
  readonly descriptors?: readonly Descriptor[];
  /** Bytes kept for `read`; nothing by default. The pipes are always drained. */
  readonly keep?: Partial<Readonly<Record<OutputName, KeptSize>>>;
  /** Limit for standard output in bytes; a program that writes more is killed (`flood`). */
  readonly maxStdout?: number;
  /** Time limit in milliseconds; default: none. */
  readonly timeoutMs?: number;
  /**
   * Called at the time limit instead of killing the program, with a signal that is aborted when it
   * ends. Resolves to a new limit in milliseconds; undefined, or a rejection: it is killed.
   */
  readonly atLimit?: (over: AbortSignal) => Promise<number | undefined>;
  /** The time limit doesn't count while the program waits for the user. */
  readonly waiting?: Waiting;
  readonly signal?: AbortSignal;
  /**
   * `close`: the program also counts as running while any process holds its pipes. Default: `exit`.
   */
  readonly until?: 'exit' | 'close';
  /** It was started already, with this launch and its descriptors; its own mark then counts. */
  readonly ahead?: AheadRun | undefined;
}

/**
 * What is killed with a program: only itself; its process group, by one SIGKILL; or whatever a
 * function such as `endTree` finds. In the last two cases the program leads a group of its own.
 */
export type Ending = 'program' | 'group' | ((tree: ProcessGroup) => Promise<void>);

/** A program's processes: the leader of the group, and the mark of the run that all of them inherit. */
export interface ProcessGroup {
  readonly leader: number;
  readonly mark?: string;
}

export type EndedBy = 'exit' | 'timeout' | 'abort' | 'flood';
export type OutputName = 'stdout' | 'stderr';

export interface ExitStatus {
  /** Null while it runs, and when a signal killed it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProgram {
  readonly tree: ProcessGroup;
  /** What ended it. After a limit or an abort, resolves once `ending` is done. */
  readonly ended: Promise<EndedBy>;
  /** Resolves when it has exited and no process holds its pipes open. */
  readonly closed: Promise<ExitStatus>;
  status(): ExitStatus;
  /** Called for all output from now on. A listener added right after the start misses nothing. */
  onOutput(listener: (bytes: Buffer, from: OutputName) => void): void;
  /** While `wait` is true, output isn't read, so a full pipe blocks the program. */
  throttle(wait: boolean): void;
  /** The output kept so far. */
  read(from: OutputName): KeptText;
  /** False when it doesn't accept input. */
  write(data: string): boolean;
  closeInput(): void;
  /**
   * Sends a signal to its group, as Ctrl+C in a terminal does, or to itself when it leads no group.
   */
  signal(signal: NodeJS.Signals): void;
  /** Kills it together with the processes that its `ending` covers. */
  end(): Promise<void>;
  /**
   * Detaches it from limit and abort, and leaves `ended` pending. False when it has already ended.
   */
  release(): boolean;
  /** After the exit: resolves when the last output has been read. */
  drained(): Promise<void>;
}

export type Start =
  | { readonly ok: true; readonly program: RunningProgram }
  | { readonly ok: false; readonly fault: StartFault };

export interface StartFault {
  readonly reason: 'aborted' | 'failed';
  /** A system error code, such as `ENOENT` when the program or its folder does not exist. */
  readonly code?: string;
  readonly message: string;
}

/** Starts a program. All programs of the host start here. A failure to start is a value, not an exception. */
export async function startProgram(options: ProgramOptions): Promise<Start> {
  if (options.signal?.aborted) {
    return {
      ok: false,
      fault: { reason: 'aborted', message: 'The program was aborted before it started.' },
    };
  }
  const fault = findFormatFault(options.argv[0], options.cwd);
  if (fault !== undefined) {
    return { ok: false, fault: { reason: 'failed', code: 'ENOEXEC', message: fault } };
  }
  try {
    const { ahead, mark } = options;
    const child = ahead?.take() ?? startChild(options);
    if (ahead === undefined) await waitForSpawn(child);
    if (child.pid === undefined) throw new Error('The system assigned no process id.');
    if (ahead === undefined) connectDescriptors(child, options.descriptors);
    const run = ahead?.mark ?? mark?.run;
    return { ok: true, program: createProgram(child, child.pid, run, options) };
  } catch (fault) {
    return { ok: false, fault: describeStart(fault) };
  }
}

/** Nobody waits for the child, serves its descriptors, limits it or reads its output yet. */
export function startChild(options: ProgramOptions): StartedChild {
  const { argv, cwd, env, mark, ending, stdin, stderr, descriptors = [] } = options;
  const [file, ...args] = argv;
  return spawn(file, args, {
    ...(cwd !== undefined && { cwd }),
    env: mark === undefined ? { ...env } : { ...withMarks(env, mark) },
    detached: ending !== 'program' && process.platform !== 'win32',
    // Programs such as rg read standard input when it is a pipe, so only programs with input get
    // one.
    stdio: [
      stdin === undefined ? 'ignore' : 'pipe',
      'pipe',
      stderr ?? 'pipe',
      ...descriptors.map(() => 'pipe' as const),
    ],
    windowsHide: true,
  });
}

function waitForSpawn(child: StartedChild): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    // A later error means that a signal could not be sent; the promise has settled by then.
    child.on('error', reject);
  });
}

function describeStart(fault: unknown): StartFault {
  const code = getCode(fault);
  const message = fault instanceof Error ? fault.message : String(fault);
  return { reason: 'failed', message, ...(code !== undefined && { code }) };
}

function createProgram(
  child: StartedChild,
  pid: number,
  mark: string | undefined,
  options: ProgramOptions,
): RunningProgram {
  const { ending, stdin } = options;
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

/** Serves the descriptors of a started program; the first is 3. */
export function connectDescriptors(
  child: StartedChild,
  descriptors: readonly Descriptor[] = [],
): void {
  descriptors.forEach((descriptor, index) => {
    const stream = child.stdio[index + 3] as Duplex | null | undefined;
    if (!stream) return;
    // A program may exit without reading, or close it early.
    stream.on('error', () => undefined);
    if ('receive' in descriptor) {
      stream.on('data', (bytes: Buffer) => descriptor.receive(bytes));
      return;
    }
    if ('content' in descriptor) stream.end(descriptor.content);
    else void descriptor.make().then((bytes) => stream.end(bytes));
    // What a program writes before it reads is of no use.
    stream.resume();
  });
}

async function endProgram(child: StartedChild, tree: ProcessGroup, ending: Ending): Promise<void> {
  if (typeof ending === 'function') return ending(tree);
  send(child, tree.leader, ending, 'SIGKILL');
}

function send(child: StartedChild, pid: number, ending: Ending, signal: NodeJS.Signals): void {
  try {
    if (ending === 'program' || process.platform === 'win32') child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // It has exited, or we may not signal it any more.
  }
}

/** Resolves with the first of exit, time limit, abort and too much output. */
function watch(child: StartedChild, options: ProgramOptions, end: () => Promise<void>) {
  const { signal, timeoutMs, until = 'exit' } = options;
  const { promise, resolve, reject } = Promise.withResolvers<EndedBy>();
  const over = new AbortController();
  let open = true;
  const close = (): boolean => {
    const first = open;
    open = false;
    over.abort();
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
    void limitTime(timeoutMs, options, over.signal).then((passed) => passed && settle('timeout'));
  }
  child.once(until, () => settle('exit'));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return { ended: promise, settle, release: close };
}

/** Whether the time limit has passed and nobody lets the program run longer; false when it ended before. */
async function limitTime(ms: number, options: ProgramOptions, over: AbortSignal): Promise<boolean> {
  const { waiting, atLimit } = options;
  await passTime(ms, over, waiting);
  if (over.aborted) return false;
  const more = await atLimit?.(over).catch(() => undefined);
  return more === undefined ? !over.aborted : limitTime(more, options, over);
}

type Output = Pick<RunningProgram, 'onOutput' | 'throttle' | 'read' | 'drained'>;

function connectOutput(child: StartedChild, options: ProgramOptions, onFlood: () => void): Output {
  const { keep = {}, maxStdout } = options;
  const pipes = (['stdout', 'stderr'] as const).flatMap((name) => {
    const stream = child[name];
    return stream === null ? [] : [{ name, stream }];
  });
  const kept = { stdout: createKeptOutput(keep.stdout), stderr: createKeptOutput(keep.stderr) };
  let waits = false;
  let stdoutBytes = 0;
  for (const { name, stream } of pipes) {
    // A pipe that breaks with its process adds nothing to the exit code.
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
