import { MB } from '../../base/units.ts';
import { OversizeError } from './errors.ts';
import type { Framing } from './modelFetch.ts';

/** What an endpoint may send, in bytes after decompression. */
export interface AnswerBounds {
  /** One event of a streamed answer; also an answer without events. */
  readonly event: number;
  readonly answer: number;
  /** The body of an error; the rest isn't read. */
  readonly error: number;
}

const BOUNDS: AnswerBounds = { event: 16 * MB, answer: 64 * MB, error: MB };

/**
 * Reads no more of an answer than the bounds allow: the SDK collects whole events and whole error
 * bodies, so that an endless one would take all memory. Throws `OversizeError` in the stream.
 */
export function boundAnswers(
  fetch: typeof globalThis.fetch,
  framing: Framing = 'events',
  bounds: AnswerBounds = BOUNDS,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status } = response;
    // A Response accepts no other characters. The SDK shows this text for an error without a body.
    const statusText = response.statusText.replace(/[^\t\x20-\x7e]/g, '?');
    const headers = new Headers(response.headers);
    // It counts packed bytes, and the SDK refuses an error whose length is too large for it.
    headers.delete('content-length');
    const admit = response.ok ? admitAnswer(bounds, framing) : admitStart(bounds.error);
    return new Response(bound(response.body, admit), { status, statusText, headers });
  };
}

/** Returns what may pass of a chunk: the same chunk, its start, or nothing. Throws to end in an error. */
type Admit = (bytes: Uint8Array) => Uint8Array;

function admitAnswer({ event, answer }: AnswerBounds, framing: Framing): Admit {
  const measure = framing === 'events' ? measureEvents() : measureLines();
  let total = 0;
  return (bytes) => {
    total += bytes.length;
    if (total > answer) throw new OversizeError('answer', answer);
    if (measure(bytes) > event) throw new OversizeError('event', event);
    return bytes;
  };
}

/** Keeps the start: what is wrong stands there, and the status counts more than the text. */
function admitStart(most: number): Admit {
  let left = most;
  return (bytes) => {
    const start = bytes.subarray(0, left);
    left -= start.length;
    return start;
  };
}

const LF = 10;
const CR = 13;

/** Returns the bytes since the last empty line, the longest such run within the chunk. */
function measureEvents(): (bytes: Uint8Array) => number {
  let open = 0;
  let lineStart = true;
  let afterCr = false;
  return (bytes) => {
    let longest = 0;
    for (const byte of bytes) {
      // CR LF is one end of a line.
      const second = byte === LF && afterCr;
      afterCr = byte === CR;
      if (second) continue;
      const ends = byte === LF || byte === CR;
      open = ends && lineStart ? 0 : open + 1;
      lineStart = ends;
      if (open > longest) longest = open;
    }
    return longest;
  };
}

/** Returns the bytes since the last end of a line, the longest such run within the chunk. */
function measureLines(): (bytes: Uint8Array) => number {
  let open = 0;
  return (bytes) => {
    let longest = 0;
    for (const byte of bytes) {
      open = byte === LF ? 0 : open + 1;
      if (open > longest) longest = open;
    }
    return longest;
  };
}

/** Ends the source as soon as nothing more of it is admitted. */
function bound(source: ReadableStream<Uint8Array>, admit: Admit): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const stop = (reason?: unknown) => void reader.cancel(reason).catch(() => undefined);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      try {
        const admitted = admit(value);
        controller.enqueue(admitted);
        if (admitted.length === value.length) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      stop();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
