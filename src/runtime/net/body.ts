import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { failure, type Outcome, success } from '../../base/outcome.ts';

export interface Packed {
  /** As the header names it; empty for none. */
  readonly encoding: string;
  /** What the server says it sends, in bytes; NaN when it does not say. */
  readonly length: number;
  /** The most unpacked bytes. */
  readonly max: number;
}

/** Reads and unpacks a body while it streams. Over `max` unpacked bytes it stops: a bomb never unpacks. */
export async function readBody(
  stream: Readable,
  { encoding, length, max }: Packed,
): Promise<Outcome<Buffer>> {
  // A late fault of a stream nobody reads any more must not end the process.
  stream.on('error', () => undefined);
  const unpacker = openUnpacker(encoding.trim().toLowerCase());
  if (length > max) {
    stream.destroy();
    return tooLarge(max);
  }
  if (unpacker === undefined) {
    stream.destroy();
    return failure(`its encoding ${encoding.slice(0, 40)} is not known.`);
  }
  const source = unpacker === 'identity' ? stream : stream.pipe(unpacker);
  stream.once('error', (fault) => source.destroy(fault));
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of source) {
      const bytes = Buffer.from(part);
      size += bytes.length;
      if (size > max) return tooLarge(max);
      parts.push(bytes);
    }
  } finally {
    source.destroy();
    stream.destroy();
  }
  return success(Buffer.concat(parts));
}

function tooLarge(max: number): Outcome<never> {
  return failure(`it is larger than ${max} bytes. Fetch a smaller page.`);
}

function openUnpacker(encoding: string): Transform | 'identity' | undefined {
  switch (encoding) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
