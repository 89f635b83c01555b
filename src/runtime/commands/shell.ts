import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { codeOf } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { LONGEST_TIMER, MB } from '../../base/units.ts';
import type { LeftProcess, Shell, ShellRequest, ShellResult, TerminalView } from '../runtime.ts';
import type { SidecarFolder } from '../sidecars.ts';
import { childEnvironment } from './environment.ts';
import { createOutputBuffer, createPaneText, type OutputBuffer } from './outputBuffer.ts';
import type { RunningCommand, SessionProcesses } from './processes.ts';
import { endTree, interruptGroup, members, type Tree } from './processTree.ts';

export interface LocalShellOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly processes: SessionProcesses;
  readonly sidecars: SidecarFolder;
  readonly signal: AbortSignal;
  readonly view?: TerminalView;
  /** Told the terminal's id as soon as the command runs. */
  readonly onStart?: (terminalId: string) => void;
  /** Milliseconds in which a command in the background may fail visibly; 1000 when absent. */
  readonly backgroundMs?: number;
}

/** Commands as children of the host, each in a process group of its own (decision 5). */
export function createLocalShell(options: LocalShellOptions): Shell {
  return { run: (request) => run(options, request) };
}

async function run(
  options: LocalShellOptions,
  request: ShellRequest,
): Promise<Outcome<ShellResult>> {
  if (options.signal.aborted) return failure('The command was cancelled before it ran.');
  const mark = randomUUID();
  const child = tryStart(options, request, mark);
  const spawned = child instanceof Error ? child : await waitForSpawn(child);
  if (spawned !== undefined) return failure(describeSpawn(spawned, request));
  if (child instanceof Error) return failure('The command could not be started.');
  const { pid } = child;
  if (pid === undefined) return failure('The command could not be started.');
  const command = follow(options, request, child, { leader: pid, mark });
  options.onStart?.(command.terminalId);
  return success(await command.result);
}

/** Some faults of the folder are thrown, others arrive as events. */
function tryStart(
  options: LocalShellOptions,
  request: ShellRequest,
  mark: string,
): ChildProcess | Error {
  try {
    return start(options, request, mark);
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault));
  }
}

function start({ env, shell, view }: LocalShellOptions, request: ShellRequest, mark: string) {
  const [program, ...args] = shellLine(shell, request.command);
  return spawn(program, args, {
    cwd: request.cwd,
    env: childEnvironment(env, mark),
    // A group of its own, so that the whole of it can be ended.
    detached: process.platform !== 'win32',
    // Programs such as rg read a pipe on standard input: only what a person may type into gets one.
    stdio: [request.background && view ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** The argv analysed is the argv executed: the command is one word of it, quoted by nobody. */
export function shellLine(
  shell: LocalShellOptions['shell'],
  command: string,
): [string, ...string[]] {
  if (shell === 'cmd') return ['cmd.exe', '/d', '/s', '/c', command];
  if (shell === 'pwsh') {
    const encoded = Buffer.from(command, 'utf16le').toString('base64');
    const program = process.platform === 'win32' ? 'powershell.exe' : 'pwsh';
    return [program, '-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
  }
  // No start files: a login shell alone costs twenty times a plain one.
  return ['bash', '--noprofile', '--norc', '-c', command];
}

function waitForSpawn(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
}

function describeSpawn(fault: Error, { cwd }: ShellRequest): string {
  if (codeOf(fault) === 'ENOENT')
    return `The shell or the folder ${cwd} does not exist. Give a folder as cwd that does.`;
  if (codeOf(fault) === 'ENOTDIR') return `${cwd} is a file. Give a folder as cwd.`;
  if (codeOf(fault) === 'ELOOP') return `${cwd} leads in circles. Give another folder as cwd.`;
  if (codeOf(fault) === 'E2BIG') return 'The command is too long. Put it into a script file.';
  return `The command could not be started: ${fault.message}`;
}

interface Following {
  readonly terminalId: string;
  readonly result: Promise<ShellResult>;
}

type Ended = ShellResult['ended'];

/** Collects the output until the command ends, is ended, or is left running. */
function follow(
  options: LocalShellOptions,
  request: ShellRequest,
  child: ChildProcess,
  tree: Tree,
): Following {
  const { processes, view, sidecars } = options;
  const terminalId = `term_${tree.mark}`;
  const waits = { disk: false };
  const output = createOutputBuffer({
    max: request.outputBytes,
    always: request.background,
    openSidecar: () => sidecars.stream(terminalId),
    throttle: (wait) => {
      waits.disk = wait;
      for (const stream of [child.stdout, child.stderr]) wait ? stream?.pause() : stream?.resume();
    },
  });
  view?.opened({ ...request, terminalId });
  const showText = view && createPaneText((text) => view.output(terminalId, text));
  let collecting = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      if (collecting) output.add(bytes);
      showText?.(bytes);
    });
    // A pipe that breaks with its process says nothing the exit code does not say.
    stream?.on('error', () => undefined);
  }

  const ending = Promise.withResolvers<Ended>();
  const command: RunningCommand = {
    terminalId,
    tree,
    title: request.title,
    type: (data) => writeInput(child, data),
    closeInput: () => child.stdin?.end(),
    interrupt: () => interruptGroup(tree, 'SIGINT'),
    end: () => endTree(tree),
    background: () => ending.resolve('background'),
  };
  processes.add(command);
  const findLeft = closeView(child, terminalId, options, command);
  const stop = endOn(child, request, options, ending.resolve);
  const result = ending.promise.then(async (ended) => {
    stop();
    if (ended === 'timeout' || ended === 'abort') await endTree(tree);
    if (ended !== 'background') await drained(child, waits);
    const keeps = ended === 'background' && request.background;
    if (keeps) child.once('close', () => void output.finish());
    else collecting = false;
    return toResult({ ended, child, findLeft, output, terminalId, request });
  });
  return { terminalId, result };
}

/** Resolves with the first of: exit, time-out, abort, and the user sending it to the background. */
function endOn(
  child: ChildProcess,
  request: ShellRequest,
  { signal, backgroundMs = BACKGROUND_MS }: LocalShellOptions,
  resolve: (ended: Ended) => void,
): () => void {
  const onExit = () => resolve('exit');
  const onAbort = () => resolve('abort');
  child.once('exit', onExit);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const late = () => resolve(request.background ? 'background' : 'timeout');
  const limit = request.background ? Math.min(backgroundMs, request.timeoutMs) : request.timeoutMs;
  const timer = setTimeout(late, Math.min(limit, LONGEST_TIMER));
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

/** Milliseconds in which a command in the background may fail visibly. */
const BACKGROUND_MS = 1000;

/**
 * What the command wrote last is still in the pipe, and stays there while the disk is slower. A process
 * that was left running may hold the pipe open, or fill it, for ever, so this ends with a moment of
 * free reading or with more bytes than a pipe holds.
 */
function drained(child: ChildProcess, waits: { readonly disk: boolean }): Promise<void> {
  const open = [child.stdout, child.stderr].filter((stream) => stream?.readableEnded === false);
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
    timer = setTimeout(() => setImmediate(() => (waits.disk ? wait() : resolve())), PIPE_MS);
  };
  wait();
  for (const stream of open) stream?.on('data', count);
  child.once('close', () => resolve());
  return promise.finally(() => {
    over = true;
    clearTimeout(timer);
    for (const stream of open) stream?.off('data', count);
  });
}

/** Milliseconds after the exit in which what is still in the pipe arrives. */
const PIPE_MS = 150;
/** More than the pipes and the streams behind them hold. */
const PIPE_BYTES = MB;

interface Result {
  readonly ended: Ended;
  readonly child: ChildProcess;
  readonly findLeft: () => Promise<readonly LeftProcess[]>;
  readonly output: OutputBuffer;
  readonly terminalId: string;
  readonly request: ShellRequest;
}

async function toResult(parts: Result): Promise<ShellResult> {
  const { ended, child, findLeft, output, terminalId } = parts;
  const { text, truncated, sidecar } = await (ended === 'background' && parts.request.background
    ? output.peek()
    : output.finish());
  const left = ended === 'exit' || ended === 'background' ? await findLeft() : [];
  const notes =
    truncated && sidecar?.ok === false
      ? [`The rest was not kept: ${sidecar.error} To see it, let the command write less.`]
      : [];
  return {
    output: text,
    exitCode: child.exitCode,
    signal: child.signalCode,
    ended,
    truncated,
    ...(sidecar?.ok && { outputPath: sidecar.data }),
    notes,
    terminalId,
    left,
  };
}

function writeInput(child: ChildProcess, data: string): boolean {
  if (!child.stdin?.writable) return false;
  child.stdin.write(data);
  return true;
}

/**
 * The pane closes when the last pipe does; the command leaves the session's list with it. Gives what
 * the command left running: once the pipes are closed, what was found then, for one look is enough.
 */
function closeView(
  child: ChildProcess,
  terminalId: string,
  { view, processes }: LocalShellOptions,
  command: RunningCommand,
): () => Promise<readonly LeftProcess[]> {
  let atClose: Promise<readonly LeftProcess[]> | undefined;
  child.once('close', (exitCode, signal) => {
    view?.closed({ terminalId, exitCode, signal });
    atClose = members(command.tree);
    const forget = (alive: readonly LeftProcess[]) => {
      if (alive.length === 0) processes.remove(command);
    };
    // What cannot be listed stays with the session, which ends it.
    void atClose.then(forget, () => undefined);
  });
  return () => atClose ?? members(command.tree);
}
