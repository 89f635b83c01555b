import { isUtf8 } from 'node:buffer';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { MB } from '../../base/units.ts';

/** How many bytes of an output are kept, from its beginning and from its end. */
export interface KeptSize {
  readonly head: number;
  readonly tail?: number;
}

export interface KeptText {
  /** The beginning, in whole characters; the complete output when nothing was omitted. */
  readonly head: string;
  /** The end, in whole characters; empty when nothing was omitted. */
  readonly tail: string;
  /** Bytes that the program wrote. */
  readonly bytes: number;
  /** Bytes between head and tail that were not kept. */
  readonly omitted: number;
  /** False when the complete output was kept and is not UTF-8: its text has replacement characters. */
  readonly isUtf8: boolean;
}

export interface KeptOutput {
  add(bytes: Buffer): void;
  read(): KeptText;
}

/** Keeps the head and tail of an output of any length in bounded memory. */
export function createKeptOutput({ head, tail = 0 }: KeptSize = { head: 0 }): KeptOutput {
  const first: Buffer[] = [];
  const last: Buffer[] = [];
  let bytes = 0;
  let lastBytes = 0;

  function addLast(part: Buffer): void {
    if (tail === 0 || part.length === 0) return;
    last.push(part);
    lastBytes += part.length;
    for (let [oldest] = last; oldest && lastBytes - oldest.length >= tail; [oldest] = last) {
      lastBytes -= oldest.length;
      last.shift();
    }
  }

  return {
    add(part) {
      const room = Math.max(0, head - bytes);
      if (room > 0) first.push(part.subarray(0, room));
      bytes += part.length;
      addLast(part.subarray(room));
    },
    read() {
      const start = Buffer.concat(first);
      const end = Buffer.concat(last).subarray(-tail || lastBytes);
      const omitted = bytes - start.length - end.length;
      if (omitted === 0) {
        const whole = Buffer.concat([start, end]);
        const head = whole.toString('utf8');
        return { head, tail: '', bytes, omitted, isUtf8: isUtf8(whole) };
      }
      const head = new StringDecoder('utf8').write(start);
      return { head, tail: toTail(end), bytes, omitted, isUtf8: true };
    },
  };
}

/** Drops the remainder of a character whose first byte was cut off. */
function toTail(bytes: Buffer): string {
  let at = 0;
  // Continuation bytes have the form 10xxxxxx; a character has at most three of them.
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return bytes.subarray(at).toString('utf8');
}

/**
 * The last output may still be in the pipe when the program exits. A process left running may hold
 * the pipe open or fill it forever, so this also resolves after a short idle time or after more
 * bytes than a pipe holds.
 */
export function drain(
  child: ChildProcess,
  streams: readonly Readable[],
  waits: () => boolean,
): Promise<void> {
  const open = streams.filter((stream) => !stream.readableEnded);
  if (open.length === 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  const count = (bytes: Buffer) => {
    arrived += bytes.length;
    if (arrived > PIPE_BYTES) resolve();
  };
  let over = false;
  let timer: NodeJS.Timeout;
  // A late timer fires before reads that are due, so check only after them.
  const wait = () => {
    if (over) return;
    timer = setTimeout(() => setImmediate(() => (waits() ? wait() : resolve())), PIPE_MS);
  };
  wait();
  for (const stream of open) stream.on('data', count);
  child.once('close', () => resolve());
  return promise.finally(() => {
    over = true;
    clearTimeout(timer);
    for (const stream of open) stream.off('data', count);
  });
}

/** Milliseconds after the exit within which output still in the pipe arrives. */
const PIPE_MS = 150;
/** More than the pipes and their streams can buffer. */
const PIPE_BYTES = MB;
