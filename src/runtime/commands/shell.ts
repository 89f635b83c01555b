import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
import type { ConfinedStart, Cut, PreparedRun } from '../confined.ts';
import type { LeftProcess, Shell, ShellRequest, ShellResult, TerminalView } from '../runtime.ts';
import type { SidecarFolder } from '../sidecars.ts';
import { childEnvironment } from './environment.ts';
import { createOutputBuffer, createPaneText, type OutputBuffer } from './outputBuffer.ts';
import type { RunningCommand, SessionProcesses } from './processes.ts';
import { endTree, members } from './processTree.ts';
import {
  type EndedBy,
  type RunningProgram,
  type StartFault,
  startProgram,
} from './startProgram.ts';

export interface LocalShellOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The variables that the user passes to commands; default: none. */
  readonly passes?: readonly string[];
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly processes: SessionProcesses;
  readonly sidecars: SidecarFolder;
  readonly signal: AbortSignal;
  readonly view?: TerminalView;
  /** Called with the terminal's id as soon as the command runs. */
  readonly onStart?: (terminalId: string) => void;
  /** Milliseconds during which a background command's failure is still reported; default 1000. */
  readonly backgroundMs?: number;
  /** Runs the commands in the sandbox. Absent: they run as any other program of the user. */
  readonly confined?: ConfinedStart;
}

/** Runs commands as children of the host, each in its own process group (spec decision 5). */
export function createLocalShell(options: LocalShellOptions): Shell {
  return { run: (request) => run(options, request) };
}

async function run(
  options: LocalShellOptions,
  request: ShellRequest,
): Promise<Outcome<ShellResult>> {
  const { signal, view, confined } = options;
  const mark = randomUUID();
  const prepared = await prepare(options, request);
  if (!prepared.ok) return prepared;
  const { launch, descriptors, after, ahead } = prepared.data;
  let command: Following | undefined;
  const started = await startProgram({
    ...launch,
    descriptors,
    ahead,
    mark: { run: mark, in: 'variables' },
    ending: endTree,
    // Only a terminal the user can type into gets standard input.
    ...(request.background && view && { stdin: 'open' }),
    // The time limit doesn't apply to background commands.
    ...(!request.background && { timeoutMs: request.timeoutMs }),
    ...(request.atLimit && { atLimit: (over) => decideAtLimit(request, command, over) }),
    ...(confined?.waiting && { waiting: confined.waiting }),
    signal,
  });
  if (!started.ok) {
    await after?.();
    return failure(describeStart(started.fault, request, launch.argv[0]));
  }
  command = follow(options, request, started.program, `term_${mark}`);
  // Everything that a sandbox runs ends with it, so its pipes close too.
  const over = after && started.program.closed.then(command.findCut).then(after);
  options.onStart?.(command.terminalId);
  const result = await command.result;
  // A command in the background keeps its sandbox.
  const cleaned = result.ended === 'background' ? undefined : await over;
  return cleaned?.ok === false ? cleaned : success(result);
}

/** The run as it is started: unchanged, or confined. */
async function prepare(
  { shell, env, passes, confined }: LocalShellOptions,
  { command, cwd, background }: ShellRequest,
): Promise<Outcome<Omit<PreparedRun, 'after'> & Partial<PreparedRun>>> {
  const launch = { argv: shellLine(shell, command), cwd, env: childEnvironment(env, passes) };
  if (confined) return confined.prepare({ ...launch, takesAhead: !background });
  return success({ launch, descriptors: [] });
}

/**
 * The exact argv that is analyzed and then executed: the command is a single argument, so no
 * quoting is needed.
 */
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
  // No startup files: a login shell takes twenty times as long to start.
  return ['bash', '--noprofile', '--norc', '-c', command];
}

function describeStart(
  { reason, code, message }: StartFault,
  { cwd }: ShellRequest,
  program: string,
): string {
  if (reason === 'aborted') return 'The command was cancelled before it ran.';
  if (code === 'ENOENT') {
    return existsSync(cwd)
      ? `${program} was not found, so the command did not run. The user has to install it or add its folder to PATH, and then reload the window.`
      : `The folder ${cwd} does not exist. Use an existing folder as cwd.`;
  }
  if (code === 'ENOTDIR') return `${cwd} is a file. Use a folder as cwd.`;
  if (code === 'ELOOP')
    return `${cwd} contains a cycle of symbolic links. Use another folder as cwd.`;
  if (code === 'E2BIG') return 'The command is too long. Put it in a script file and run that.';
  return `The command could not be started: ${message}`;
}

/** The new limit in milliseconds, if the command may run longer and the call waits for it. */
async function decideAtLimit(
  { atLimit }: ShellRequest,
  command: Following | undefined,
  over: AbortSignal,
): Promise<number | undefined> {
  const decided = await atLimit?.(over);
  if (typeof decided === 'object') return decided.moreMs;
  if (decided === 'background') command?.background();
  if (decided === 'stop') command?.noteStop();
  return undefined;
}

interface Following {
  readonly terminalId: string;
  /** Lets the call end while the command runs on. False if it may not run on. */
  background(): boolean;
  /** The command is stopped at the user's wish, and the model is told. */
  noteStop(): void;
  /** Why it did not run to its end. Undefined: it did, or is in the background. */
  findCut(): Promise<Cut | undefined>;
  readonly result: Promise<ShellResult>;
}

type Ended = ShellResult['ended'];

/** Collects the output until the command exits, is killed, or is left running in the background. */
function follow(
  options: LocalShellOptions,
  request: ShellRequest,
  program: RunningProgram,
  terminalId: string,
): Following {
  const { view, sidecars } = options;
  const output = createOutputBuffer({
    max: request.outputBytes,
    always: request.background,
    openSidecar: () => sidecars.stream(terminalId),
    throttle: (wait) => program.throttle(wait),
  });
  view?.opened({ ...request, terminalId });
  const showText = view && createPaneText((text) => view.output(terminalId, text));
  let collecting = true;
  program.onOutput((bytes) => {
    if (collecting) output.add(bytes);
    showText?.(bytes);
  });
  const left = leaving(program, request, options);
  let stopped = false;
  const noteStop = () => {
    stopped = true;
  };
  const stop = () => {
    noteStop();
    return program.end();
  };
  const command = toCommand(program, request.title, terminalId, { ...left, stop });
  options.processes.add(command);
  const findLeft = closeView(program, terminalId, options, command);
  const result = left.ended.then(async (ended) => {
    if (ended !== 'background') await program.drained();
    const keeps = ended === 'background' && request.background;
    if (keeps) void program.closed.then(() => output.finish());
    else collecting = false;
    return toResult({ ended, program, findLeft, output, terminalId, request, stopped });
  });
  const findCut = async () => (stopped ? 'user' : toCut(await left.ended.catch(() => 'abort')));
  return { terminalId, background: left.background, noteStop, findCut, result };
}

function toCommand(
  program: RunningProgram,
  title: string,
  terminalId: string,
  { background, stop }: Pick<RunningCommand, 'background' | 'stop'>,
): RunningCommand {
  return {
    terminalId,
    tree: program.tree,
    title,
    type: program.write,
    closeInput: program.closeInput,
    interrupt: () => program.signal('SIGINT'),
    end: program.end,
    stop,
    background,
  };
}

/**
 * Resolves when the command ends or moves to the background, at the user's or the call's request.
 */
function leaving(
  program: RunningProgram,
  request: ShellRequest,
  { backgroundMs = BACKGROUND_MS, confined }: LocalShellOptions,
) {
  const left = Promise.withResolvers<'background'>();
  const background = (): boolean => {
    if (confined?.endsWithCall) return false;
    if (program.release()) left.resolve('background');
    return true;
  };
  const limit = Math.min(backgroundMs, request.timeoutMs, LONGEST_TIMER);
  const timer = request.background ? setTimeout(background, limit) : undefined;
  const ended = Promise.race<Ended>([program.ended.then(toEnded), left.promise]);
  return { background, ended: ended.finally(() => clearTimeout(timer)) };
}

function toEnded(by: EndedBy): Ended {
  // Shell commands have no output limit, so `flood` never occurs.
  return by === 'flood' ? 'abort' : by;
}

function toCut(ended: Ended): Cut | undefined {
  return ended === 'timeout' || ended === 'abort' ? 'limit' : undefined;
}

/** Milliseconds during which a background command's failure is still reported. */
const BACKGROUND_MS = 1000;

interface Result {
  readonly ended: Ended;
  readonly program: RunningProgram;
  readonly findLeft: () => Promise<readonly LeftProcess[]>;
  readonly output: OutputBuffer;
  readonly terminalId: string;
  readonly request: ShellRequest;
  /** The user stopped it, and nothing else. */
  readonly stopped: boolean;
}

async function toResult(parts: Result): Promise<ShellResult> {
  const { ended, program, findLeft, output, terminalId } = parts;
  const { text, truncated, end, sidecar } = await (ended === 'background' &&
  parts.request.background
    ? output.peek()
    : output.finish());
  const left = ended === 'exit' || ended === 'background' ? await findLeft() : [];
  const notes = [
    ...(parts.stopped ? [STOPPED] : []),
    ...(truncated && sidecar?.ok === false
      ? [
          `The rest of the output was lost: ${sidecar.error} Run the command again with less output.`,
        ]
      : []),
  ];
  return {
    output: text,
    ...program.status(),
    ended,
    truncated,
    ...(sidecar?.ok && { outputPath: sidecar.data }),
    ...(end !== undefined && { outputEnd: end }),
    notes,
    terminalId,
    left,
  };
}

const STOPPED =
  'The user stopped this command before it was done. Do not run it again unless the user asks for it.';

/**
 * When the last pipe closes, closes the pane and removes the command from the session's list. The
 * returned function lists the processes left running; after the pipes are closed it reuses that
 * list.
 */
function closeView(
  program: RunningProgram,
  terminalId: string,
  { view, processes }: LocalShellOptions,
  command: RunningCommand,
): () => Promise<readonly LeftProcess[]> {
  let atClose: Promise<readonly LeftProcess[]> | undefined;
  void program.closed.then((status) => {
    view?.closed({ terminalId, ...status });
    atClose = members(command.tree);
    const removeEnded = (alive: readonly LeftProcess[]) => {
      if (alive.length === 0) processes.remove(command);
    };
    // If the processes can't be listed, the command stays in the list and the session kills it.
    void atClose.then(removeEnded, () => undefined);
  });
  return () => atClose ?? members(command.tree);
}
