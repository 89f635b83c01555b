import { pipeline, Readable, type Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { boundLines } from './boundedLines.ts';
import { withShortError } from './shortError.ts';

/**
 * ACP on two pipes, one message per line. Messages of one tick are joined into one write, because a
 * write costs more than a message. Order is kept, and writing waits while the client does not read.
 * `maxMessageBytes` limits the lines that are read; a longer one is answered with an error.
 */
export function createAcpStream(
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
  maxMessageBytes: number,
): Stream {
  const lines = joinLines(stdout);
  // The SDK itself writes here only to answer input that is not a message.
  const faults = new WritableStream<Uint8Array>({
    write: (bytes) => lines.write(new TextDecoder().decode(bytes)),
  });
  const bounded = boundLines({
    most: maxMessageBytes,
    // A broken pipe is reported by the next write of our own.
    refuse: (answer) => void lines.write(`${JSON.stringify(answer)}\n`).catch(() => undefined),
  });
  // Its own end or fault reaches the reader through the lines.
  pipeline(stdin, bounded, () => undefined);
  const input = toWebReadable(bounded);
  const { readable } = ndJsonStream(faults, input, { maxMessageBytes });
  const unanswered = new Set<unknown>();
  return {
    readable: toReadable(readable, unanswered, lines),
    writable: toWritable(lines, unanswered),
  };
}

/** So many requests are read of a client that does not read the replies; each takes some 6 KB. */
const MOST_UNANSWERED = 1_000;

/** The messages as they are asked for. While the client reads nothing and has many replies to come, none is read. */
function toReadable(
  messages: ReadableStream<AnyMessage>,
  unanswered: Set<unknown>,
  lines: Lines,
): ReadableStream<AnyMessage> {
  const reader = messages.getReader();
  return new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        // A broken pipe is told by the next write.
        while (unanswered.size >= MOST_UNANSWERED && lines.isBlocked()) {
          await lines.unblocked().catch(() => undefined);
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if ('method' in value && 'id' in value) unanswered.add(value.id);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

interface Lines {
  /** Resolves when the pipe accepts more; rejects once it is broken. */
  write(text: string): Promise<void>;
  /** Whether the client has to read before the pipe accepts more. */
  isBlocked(): boolean;
  unblocked(): Promise<void>;
}

/** Pipes write up to this many bytes atomically (PIPE_BUF), so a killed host never truncates a short line. */
const JOINED = 4096;

function joinLines(stdout: Writable): Lines {
  let joined = '';
  let bytes = 0;
  let ready: Promise<void> = Promise.resolve();
  let drained: PromiseWithResolvers<void> | undefined;
  let isBroken = false;

  const flush = () => {
    const text = joined;
    joined = '';
    bytes = 0;
    // A broken pipe never drains: waiting for it would not end.
    if (text === '' || isBroken || stdout.write(text) || drained !== undefined) return;
    drained = Promise.withResolvers<void>();
    ready = drained.promise;
    // The next write reports a broken pipe; there may be no next write.
    ready.catch(() => undefined);
  };
  stdout.on('drain', () => {
    drained?.resolve();
    drained = undefined;
  });
  const onEnd = (fault: Error) => {
    isBroken = true;
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
    isBlocked: () => drained !== undefined,
    unblocked: () => ready,
  };
}

/** The part of a web stream that the SDK uses, without the promises that a real one creates for each write. */
function toWritable({ write }: Lines, unanswered: Set<unknown>): WritableStream<AnyMessage> {
  const nothing = () => Promise.resolve();
  const writer: WritableStreamDefaultWriter<AnyMessage> = {
    closed: new Promise(() => undefined),
    desiredSize: 1,
    ready: Promise.resolve(),
    abort: nothing,
    close: nothing,
    releaseLock: () => undefined,
    write(message) {
      if (message && 'id' in message && !('method' in message)) unanswered.delete(message.id);
      return write(`${JSON.stringify(message && withShortError(message))}\n`);
    },
  };
  return { locked: false, abort: nothing, close: nothing, getWriter: () => writer };
}

/** Node types its adapter with another copy of the same interface. */
function toWebReadable(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
