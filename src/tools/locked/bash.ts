import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { Limits } from '../../runtime/limits.ts';
import type { LeftProcess, ShellResult } from '../../runtime/runtime.ts';
import type { Tool } from '../contract.ts';
import { withCut } from '../truncate.ts';
import { toAtLimit } from './atLimit.ts';

interface Args {
  readonly command: string;
  readonly description?: string;
  readonly cwd?: string;
  readonly timeout_ms?: number;
  readonly background?: boolean;
  readonly without_sandbox?: boolean;
}

interface Data {
  /** Standard output and error, interleaved; `head` when there is more. */
  readonly output?: string;
  readonly head?: string;
  /** Null while it runs, or when a signal killed it. */
  readonly exit_code: number | null;
  readonly signal?: string;
  readonly aborted?: true;
  /** Processes still running: the background command itself, or its descendants. */
  readonly running?: readonly LeftProcess[];
  readonly output_path?: string;
  readonly note?: string;
}

/** One command, not a persistent shell session (spec C-16). */
export const bash: Tool<Args, Data> = {
  id: 'bash',
  kind: 'execute',
  description:
    'Run one shell command and get its output (standard output and error together) and its exit code. Each call is a new shell in the workspace root: cd and variables do not persist; use cwd instead. Nobody can answer prompts, and no pager or editor opens. The command is killed after timeout_ms (default 120000). For servers and watchers set background: the call returns at once, the output is appended to output_path, and the command is killed when the session ends. At most 200 KB of output are returned; the rest is in a file you can read. To read, search or change files use read, grep, glob, edit and write instead.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command line.' },
      description: { type: 'string', description: 'What it does, in a few words, for the user.' },
      cwd: { type: 'string', minLength: 1, description: 'Folder to run in. Default: the root.' },
      timeout_ms: {
        type: 'integer',
        minimum: 1,
        maximum: 3_600_000,
        description: 'Milliseconds after which the command is killed.',
      },
      background: { type: 'boolean', description: 'Keep it running and return at once.' },
      without_sandbox: {
        type: 'boolean',
        description: 'Only after a result said that the sandbox may be the reason: asks the user.',
      },
    },
    required: ['command'],
    additionalProperties: false,
  },
  output: ({ bashBytes }) => ({ bytes: bashBytes, text: 'output' }),
  requires: { families: ['shell'] },

  subjects({ command, cwd }) {
    const line: Subject = {
      permission: 'bash',
      capability: 'shell.run',
      target: command,
      match: 'command',
    };
    if (cwd === undefined) return [line];
    // A command can list the folder that it runs in.
    return [line, { permission: 'read', capability: 'fs.read', target: cwd, match: 'path' }];
  },
  // A command in the background outlives its call, and what it changes would be reviewed too early.
  runsInCopy: ({ background, without_sandbox }) => background !== true && without_sandbox !== true,
  withoutSandbox: ({ without_sandbox }) => without_sandbox === true,
  toUnsandboxed: (args) => ({ ...args, without_sandbox: true }),
  title: getTitle,
  cwd: ({ cwd }) => cwd,
  hangAfterMs: ({ timeout_ms: asked }, limits) => getTimeout(asked, limits) + END_MS,

  async execute(args, runtime) {
    const { command, background = false } = args;
    const timeoutMs = getTimeout(args.timeout_ms, runtime.limits);
    const title = getTitle(args);
    const atLimit = toAtLimit(runtime, { title, timeoutMs });
    const ran = await runtime.shell.run({
      ...{ command, title, ...(atLimit && { atLimit }) },
      cwd: runtime.fs.absolute(args.cwd ?? '.'),
      timeoutMs,
      outputBytes: runtime.limits.bashBytes,
      background,
    });
    return ran.ok ? toOutcome(ran.data, timeoutMs) : ran;
  },
};

/** Milliseconds that killing a process tree may take. */
const END_MS = 10_000;

function getTimeout(asked: number | undefined, limits: Limits): number {
  return asked ?? limits.bashTimeoutMs;
}

/** A non-zero exit is an output; a timeout is an error (spec CA-16); an abort keeps what there is (spec CA-17). */
function toOutcome(result: ShellResult, timeoutMs: number): Outcome<Data> {
  const { ended, output, exitCode, signal, truncated, outputPath, outputEnd, left } = result;
  if (ended === 'timeout') {
    const said = `The command did not finish within ${timeoutMs} ms; it and every process it started were killed. Set a larger timeout_ms, or set background.`;
    const rest = output === '' ? 'It printed nothing.' : `Its output:\n${output}`;
    const ended = failure<Data>([said, ...result.notes, rest].join(' '));
    return truncated ? withCut(ended, outputPath, outputEnd) : ended;
  }
  if (ended === 'abort' && output === '') return failure('The command was aborted.');
  const note = result.notes.join(' ');
  const data: Data = {
    ...(truncated ? { head: output } : { output }),
    exit_code: exitCode,
    ...(signal !== null && { signal }),
    ...(ended === 'abort' && { aborted: true as const }),
    ...(left.length > 0 && { running: left }),
    ...(ended === 'background' && outputPath !== undefined && { output_path: outputPath }),
    ...(note !== '' && { note }),
  };
  return success(truncated ? withCut(data, outputPath, outputEnd) : data);
}

function getTitle({ command, description }: Args): string {
  return description?.trim() || firstLine(command);
}

function firstLine(command: string): string {
  const [line = '', ...more] = command.trim().split('\n');
  const cut = line.length > 120 || more.length > 0;
  return cut ? `${line.slice(0, 120)} …` : line;
}
