import { Readable, type Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

/**
 * ACP on two pipes, one message a line. What one tick says leaves in one write: a write for each
 * message costs more than the message. Order is kept, and while the client does not read, writing
 * waits. `maxMessageBytes` bounds a line that is read; a longer one closes the connection.
 */
export function createAcpStream(
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
  maxMessageBytes: number,
): Stream {
  const lines = joinLines(stdout);
  // The SDK writes here itself only to answer what is no message at all.
  const faults = new WritableStream<Uint8Array>({
    write: (bytes) => lines.write(new TextDecoder().decode(bytes)),
  });
  const { readable } = ndJsonStream(faults, toWebReadable(stdin), { maxMessageBytes });
  return { readable, writable: toWritable(lines) };
}

interface Lines {
  /** Resolves when the pipe takes more; rejects once it is broken. */
  write(text: string): Promise<void>;
}

/** What a pipe takes whole or not at all (PIPE_BUF), in bytes: a host that is ended tears no short line. */
const JOINED = 4096;

function joinLines(stdout: Writable): Lines {
  let joined = '';
  let bytes = 0;
  let ready: Promise<void> = Promise.resolve();
  let drained: PromiseWithResolvers<void> | undefined;

  const flush = () => {
    const text = joined;
    joined = '';
    bytes = 0;
    if (text === '' || stdout.write(text) || drained !== undefined) return;
    drained = Promise.withResolvers<void>();
    ready = drained.promise;
    // Whoever writes next learns of a broken pipe; there may be nobody.
    ready.catch(() => undefined);
  };
  stdout.on('drain', () => {
    drained?.resolve();
    drained = undefined;
  });
  const onEnd = (fault: Error) => {
    drained?.reject(fault);
    drained = undefined;
    ready = Promise.reject(fault);
    ready.catch(() => undefined);
  };
  stdout.on('error', onEnd);
  stdout.on('close', () => onEnd(new Error('the client closed the pipe')));
  return {
    write(text) {
      const size = Buffer.byteLength(text);
      if (bytes + size > JOINED) flush();
      if (joined === '') process.nextTick(flush);
      joined += text;
      bytes += size;
      return ready;
    },
  };
}

/** The part of a web stream that the SDK writes through, without the promises that a real one makes for each write. */
function toWritable({ write }: Lines): WritableStream<AnyMessage> {
  const nothing = () => Promise.resolve();
  const writer: WritableStreamDefaultWriter<AnyMessage> = {
    closed: new Promise(() => undefined),
    desiredSize: 1,
    ready: Promise.resolve(),
    abort: nothing,
    close: nothing,
    releaseLock: () => undefined,
    write: (message) => write(`${JSON.stringify(message)}\n`),
  };
  return { locked: false, abort: nothing, close: nothing, getWriter: () => writer };
}

/** Node's own adapter is typed by another copy of the same interface. */
function toWebReadable(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
