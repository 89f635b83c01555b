import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { failure, type Outcome, success } from '../../base/outcome.ts';

export interface Packed {
  /** Value of the Content-Encoding header; empty when absent. */
  readonly encoding: string;
  /** Value of the Content-Length header in bytes; NaN when absent. */
  readonly length: number;
  /** Limit for the decoded body, in bytes. */
  readonly max: number;
}

/**
 * Reads and decodes a streamed body. Stops at `max` decoded bytes, so decompression bombs are
 * harmless.
 */
export async function readBody(
  stream: Readable,
  { encoding, length, max }: Packed,
): Promise<Outcome<Buffer>> {
  // An error after we stopped reading must not crash the process.
  stream.on('error', () => undefined);
  const unpacker = openUnpacker(encoding.trim().toLowerCase());
  if (length > max) {
    stream.destroy();
    return tooLarge(max);
  }
  if (unpacker === undefined) {
    stream.destroy();
    return failure(`its encoding ${encoding.slice(0, 40)} is not supported.`);
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
