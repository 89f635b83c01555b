import { randomUUID } from 'node:crypto';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
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

/** Commands as children of the host, each in a process group of its own, so that its descendants can be killed with it. */
export function createLocalShell(options: LocalShellOptions): Shell {
  return { run: (request) => run(options, request) };
}

async function run(
  options: LocalShellOptions,
  request: ShellRequest,
): Promise<Outcome<ShellResult>> {
  const { signal, view } = options;
  const mark = randomUUID();
  const started = await startProgram({
    argv: shellLine(options.shell, request.command),
    cwd: request.cwd,
    env: childEnvironment(options.env),
    mark,
    ending: endTree,
    // Only what a person may type into gets an input.
    ...(request.background && view && { stdin: 'open' }),
    // In the background the time limit is no end.
    ...(!request.background && { timeoutMs: request.timeoutMs }),
    signal,
  });
  if (!started.ok) return failure(describeStart(started.fault, request));
  const command = follow(options, request, started.program, `term_${mark}`);
  options.onStart?.(command.terminalId);
  return success(await command.result);
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

function describeStart({ reason, code, message }: StartFault, { cwd }: ShellRequest): string {
  if (reason === 'aborted') return 'The command was cancelled before it ran.';
  if (code === 'ENOENT')
    return `The shell or the folder ${cwd} does not exist. Give a folder as cwd that does.`;
  if (code === 'ENOTDIR') return `${cwd} is a file. Give a folder as cwd.`;
  if (code === 'ELOOP') return `${cwd} leads in circles. Give another folder as cwd.`;
  if (code === 'E2BIG') return 'The command is too long. Put it into a script file.';
  return `The command could not be started: ${message}`;
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
  const left = leaving(program, request, options.backgroundMs);
  const command = toCommand(program, request.title, terminalId, left.background);
  options.processes.add(command);
  const findLeft = closeView(program, terminalId, options, command);
  const result = left.ended.then(async (ended) => {
    if (ended !== 'background') await program.drained();
    const keeps = ended === 'background' && request.background;
    if (keeps) void program.closed.then(() => output.finish());
    else collecting = false;
    return toResult({ ended, program, findLeft, output, terminalId, request });
  });
  return { terminalId, result };
}

function toCommand(
  program: RunningProgram,
  title: string,
  terminalId: string,
  background: () => void,
): RunningCommand {
  return {
    terminalId,
    tree: program.tree,
    title,
    type: program.write,
    closeInput: program.closeInput,
    interrupt: () => program.signal('SIGINT'),
    end: program.end,
    background,
  };
}

/** The end of the command, or the moment from which it goes on without the call: by its user, or by request. */
function leaving(program: RunningProgram, request: ShellRequest, backgroundMs = BACKGROUND_MS) {
  const left = Promise.withResolvers<'background'>();
  const background = (): void => {
    if (program.release()) left.resolve('background');
  };
  const limit = Math.min(backgroundMs, request.timeoutMs, LONGEST_TIMER);
  const timer = request.background ? setTimeout(background, limit) : undefined;
  const ended = Promise.race<Ended>([program.ended.then(toEnded), left.promise]);
  return { background, ended: ended.finally(() => clearTimeout(timer)) };
}

function toEnded(by: EndedBy): Ended {
  // A command may write as much as it likes, so `flood` ends none.
  return by === 'flood' ? 'abort' : by;
}

/** Milliseconds in which a command in the background may fail visibly. */
const BACKGROUND_MS = 1000;

interface Result {
  readonly ended: Ended;
  readonly program: RunningProgram;
  readonly findLeft: () => Promise<readonly LeftProcess[]>;
  readonly output: OutputBuffer;
  readonly terminalId: string;
  readonly request: ShellRequest;
}

async function toResult(parts: Result): Promise<ShellResult> {
  const { ended, program, findLeft, output, terminalId } = parts;
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
    ...program.status(),
    ended,
    truncated,
    ...(sidecar?.ok && { outputPath: sidecar.data }),
    notes,
    terminalId,
    left,
  };
}

/**
 * The pane closes when the last pipe does; the command leaves the session's list with it. Gives what
 * the command left running: once the pipes are closed, what was found then, for one look is enough.
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
    // What cannot be listed stays with the session, which ends it.
    void atClose.then(removeEnded, () => undefined);
  });
  return () => atClose ?? members(command.tree);
}
