import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import type { CommandIo } from './commands.ts';
import { createFront } from './front.ts';
import { traced } from './trace.ts';
import { VERSION } from './version.ts';

/** `gatehouse acp`: serves one client on stdio until it closes the stream or ends us. */
export async function run(io: CommandIo): Promise<number> {
  // Standard output carries ACP alone; whatever a library prints goes to standard error.
  globalThis.console = new Console(io.stderr, io.stderr);
  const warn = (message: string) => io.stderr.write(`gatehouse: ${message}\n`);
  const front = createFront({ env: io.env, version: VERSION, warn });
  const { stdin, stdout } = traced(io, io.env['GATEHOUSE_TRACE']);
  const connection = front.app.connect(ndJsonStream(toWebWritable(stdout), toWebReadable(stdin)));
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  await Promise.race([connection.closed, ended]);
  connection.close();
  // What still hangs on a socket or a child may not keep the process: nobody would end it.
  setTimeout(() => process.exit(), EXIT_MS).unref();
  await front.dispose();
  return 0;
}

/** How long the host may take to end its commands, in milliseconds. */
const EXIT_MS = 5000;

/** Node's own adapters are typed by another copy of the same interfaces. */
function toWebWritable(stream: Writable): WritableStream<Uint8Array> {
  return Writable.toWeb(stream) as WritableStream<Uint8Array>;
}

function toWebReadable(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
