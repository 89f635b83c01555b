import { Console } from 'node:console';
import { parseArgs } from 'node:util';
import { getMessage } from '../../base/faults.ts';
import { MESSAGE_BYTES } from '../../base/stream/attachment.ts';
import type { CommandIo } from '../command.ts';
import { createAcpStream } from '../front/acpStream.ts';
import { createFront } from '../front/front.ts';
import { traced } from '../front/trace.ts';
import { boundHeap } from '../services/heap.ts';
import { VERSION } from '../version.ts';

export const USAGE = `usage: gatehouse acp [--model-base-url URL] [--model-id ID] [--agent NAME]

Serves the Agent Client Protocol on standard input and output; an editor starts it.
Sessions that do not name an agent start as the agent given with --agent (default: gatehouse).
Settings: $GATEHOUSE_CONFIG or settings.json in the user's gatehouse folder, with VS Code's keys.
`;

/** `gatehouse acp`: serves one client on stdio until the client closes the stream or a signal arrives. */
export async function run(io: CommandIo): Promise<number> {
  const env = readFlags(io);
  if (env === undefined) {
    io.stderr.write(USAGE);
    return 2;
  }
  // Standard output is reserved for ACP; libraries that print must use standard error.
  globalThis.console = new Console(io.stderr, io.stderr);
  const warn = (message: string) => io.stderr.write(`gatehouse: ${message}\n`);
  const heap = boundHeap();
  const front = createFront({ env, version: VERSION, warn });
  const stream = createAcpStream(traced(io, io.env['GATEHOUSE_TRACE']), MESSAGE_BYTES);
  const connection = front.app.connect(stream);
  const ended = new Promise<void>((resolve) => {
    // Not `once`: a second signal would kill us immediately, and orphan our commands.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  await Promise.race([connection.closed, ended]);
  heap.dispose();
  connection.close();
  // An open socket or a hanging child must not keep the process alive: nobody would kill it.
  setTimeout(() => void leaveNow(), EXIT_MS).unref();
  await front.dispose();
  return 0;
}

/** A flag counts before the environment; undefined when one is not ours. */
function readFlags(io: CommandIo): NodeJS.ProcessEnv | undefined {
  const options = {
    'model-base-url': { type: 'string' },
    'model-id': { type: 'string' },
    agent: { type: 'string' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...io.args], options, allowPositionals: false });
    const { 'model-base-url': baseUrl, 'model-id': id, agent } = values;
    return {
      ...io.env,
      ...(baseUrl === undefined ? {} : { GATEHOUSE_MODEL_BASE_URL: baseUrl }),
      ...(id === undefined ? {} : { GATEHOUSE_MODEL_ID: id }),
      ...(agent === undefined ? {} : { GATEHOUSE_AGENT: agent }),
    };
  } catch (error) {
    io.stderr.write(`gatehouse acp: ${getMessage(error)}\n\n`);
    return undefined;
  }
}

/** Kills the processes that are still shutting down: nobody would do it after us. */
async function leaveNow(): Promise<void> {
  try {
    const { killEnding } = await import('../../runtime/commands/processTree.ts');
    killEnding();
  } finally {
    process.exit();
  }
}

/** How long the host may take to end its commands, in milliseconds. Less than the client waits. */
const EXIT_MS = 3000;
