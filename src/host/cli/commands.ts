import { getCode, getMessage } from '../../base/faults.ts';
import { toErrorText } from '../../base/text/boundedText.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { Command, CommandIo } from '../command.ts';
import { VERSION } from '../version.ts';

interface Entry {
  readonly help: string;
  load(): Promise<{ readonly run: Command; readonly USAGE: string }>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  acp: { help: 'serve ACP on stdio (started by editors)', load: () => import('./acp.ts') },
  call: { help: 'run one tool call through the gate', load: () => import('./call.ts') },
  explain: {
    help: 'explain what the rules decide about calls',
    load: () => import('./explain.ts'),
  },
  check: { help: 'check tool manifests for errors', load: () => import('./check.ts') },
  tools: { help: 'export the tools of manifests', load: () => import('./toolsExport.ts') },
  scaffold: {
    help: 'create a tool or bundle',
    load: () => import('../authoring/scaffold.ts'),
  },
  rules: {
    help: 'import rules of other products',
    load: () => import('../imported/importCommand.ts'),
  },
  sessions: {
    help: 'list, show, search, export, import and replay sessions',
    load: () => import('./sessions/sessions.ts'),
  },
  replay: {
    help: "print the recorded results of a bundle's tools",
    load: () => import('./sessions/replay.ts'),
  },
  accept: {
    help: 'accept the manifests of tools and agents as they are now',
    load: () => import('./acceptTools.ts'),
  },
};

const USAGE = `usage: gatehouse COMMAND …

${Object.entries(COMMANDS)
  .map(([name, { help }]) => `  ${name.padEnd(10)}${help}\n`)
  .join('')}
Run gatehouse COMMAND --help for more about a command. gatehouse --version prints the version.
`;

/**
 * `gatehouse …`: dispatches to a command. Whoever reads the output may leave early, as `head` does; that it can't be
 * written for another reason is a failure.
 */
export const run: Command = async (io) => {
  const [name = ''] = io.args;
  // The connection of ACP ends with its client.
  if (name === 'acp') return dispatch(io);
  let fault: Error | undefined;
  io.stdout.on('error', (error) => {
    fault ??= error;
  });
  const code = await dispatch(io);
  // A failed write is told in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  if (fault === undefined || getCode(fault) === 'EPIPE') return code;
  const why = toVisibleLine(getMessage(fault));
  io.stderr.write(
    `gatehouse ${name}: the output is not complete, as it could not be written: ${why}\n`,
  );
  return code === 0 ? 1 : code;
};

/** Requested help goes to standard output with exit code 0. */
const dispatch: Command = async (io) => {
  const [name = '', ...args] = io.args;
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) {
    const command = await entry.load();
    if (!asksForHelp(args)) return runCommand(name, command.run, { ...io, args });
    io.stdout.write(command.USAGE);
    return 0;
  }
  if (name === 'help' || asksForHelp([name])) {
    io.stdout.write(USAGE);
    return 0;
  }
  if (name === '--version') {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const fault = name === '' ? '' : `gatehouse: unknown command "${name}".\n\n`;
  io.stderr.write(`${fault}${USAGE}`);
  return 2;
};

/** A store or folder that can't be used ends a command with its reason, not with a trace of the stack. */
async function runCommand(name: string, command: Command, io: CommandIo): Promise<number> {
  try {
    return await command(io);
  } catch (fault) {
    io.stderr.write(`gatehouse ${name}: ${toVisibleLine(toErrorText(getMessage(fault)))}\n`);
    return 1;
  }
}

/** Arguments after `--` are operands, even if they look like options. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((word) => /^(--help|-h)$/.test(word));
}
