import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { endTree } from '../../runtime/commands/processTree.ts';
import { type RunningProgram, startProgram } from '../../runtime/commands/startProgram.ts';
import type { PreparedRun } from '../../runtime/confined.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import { createLines } from './lines.ts';

/** How a local server is started, confined or not. */
export type PreparedStart = Omit<PreparedRun, 'after'> &
  Partial<Pick<PreparedRun, 'after'>> & {
    /** Whether the files that are hidden now are covered in its sandbox. Absent: nothing is hidden from it. */
    covers?(hidden: HiddenFiles): Promise<boolean>;
  };

export interface ProcessOptions {
  prepare(): Promise<Outcome<PreparedStart>>;
  parse(line: string): JSONRPCMessage;
}

/** MCP over the pipes of a program that starts through the one door for programs. */
export interface ProcessTransport extends Transport {
  /** What ended it, with the end of its error output. */
  describeEnd(): string;
  covers(hidden: HiddenFiles): Promise<boolean>;
}

/** Longer messages end the server. */
const MESSAGE_BYTES = 10 * MB;
/** Bytes of error output kept for messages. */
const STDERR_BYTES = 4096;

export function createProcessTransport({ prepare, parse }: ProcessOptions): ProcessTransport {
  let program: RunningProgram | undefined;
  let covers: PreparedStart['covers'];
  let why = '';
  let isClosed = false;
  const end = (reason: string) => {
    why ||= reason;
    lines.stop();
    void program?.end();
    close();
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    transport.onclose?.();
  };
  const lines = createLines({
    limit: MESSAGE_BYTES,
    throttle: (wait) => program?.throttle(wait),
    take: (line) => receive(line, transport, parse),
    fail: end,
  });
  const transport: ProcessTransport = {
    async start() {
      const prepared = await prepare();
      if (!prepared.ok) throw new Error(prepared.error);
      covers = prepared.data.covers;
      const started = await start(prepared.data);
      program = started.program;
      // It may have been closed while it started.
      if (isClosed) return program.end();
      program.onOutput((bytes, from) => {
        if (from === 'stdout') lines.add(bytes);
      });
      void findEnd(started).then(end);
    },
    async send(message) {
      if (isClosed || program?.write(`${JSON.stringify(message)}\n`) !== true) {
        throw new Error('The server does not read its input.');
      }
    },
    async close() {
      why ||= 'It was stopped.';
      lines.stop();
      close();
      await program?.end();
    },
    describeEnd: () => describeEnd(why, program),
    covers: async (hidden) => covers?.(hidden) ?? true,
  };
  return transport;
}

interface Started {
  readonly program: RunningProgram;
  /** Whether its sandbox began, once all of it has ended. Absent: it has none. */
  readonly over?: Promise<Outcome<void>>;
}

async function start({ launch, descriptors, after }: PreparedStart): Promise<Started> {
  const started = await startProgram({
    ...{ ...launch, descriptors, ending: endTree, stdin: 'open' },
    mark: { run: randomUUID(), in: 'path' },
    keep: { stderr: { head: STDERR_BYTES, tail: STDERR_BYTES } },
  });
  if (!started.ok) {
    await after?.();
    throw new Error(started.fault.message);
  }
  const { program } = started;
  return { program, ...(after && { over: program.closed.then(() => after()) }) };
}

/** A sandbox that could not begin says why; nobody else knows. */
async function findEnd({ program, over }: Started): Promise<string> {
  await program.ended;
  const ended = await over?.catch((fault) => failure(getMessage(fault)));
  return ended?.ok === false ? ended.error : 'It exited.';
}

/** A line that is no message is ignored: servers print to the wrong pipe. */
function receive(line: string, transport: Transport, parse: ProcessOptions['parse']): void {
  if (line.trim() === '') return;
  let message: JSONRPCMessage;
  try {
    message = parse(line);
  } catch {
    transport.onerror?.(new Error('The server sent a line that is no message.'));
    return;
  }
  transport.onmessage?.(message);
}

function describeEnd(why: string, program: RunningProgram | undefined): string {
  const { exitCode, signal } = program?.status() ?? { exitCode: null, signal: null };
  const code = exitCode === null ? (signal ?? '') : `exit code ${exitCode}`;
  const { head = '', tail = '' } = program?.read('stderr') ?? {};
  const lines = `${head}${tail}`
    .trim()
    .split('\n')
    .filter((line) => !OF_REFUSAL.test(line));
  const last = lines.slice(-5).join(' ').slice(-500);
  return [why, code && `(${code})`, last].filter((each) => each !== '').join(' ');
}

/** What bwrap prints where the sandbox can't be built and it is given an option to refuse; `why` says more. */
const OF_REFUSAL = /^bwrap: Unknown option --refused$/;
