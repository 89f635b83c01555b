import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Span } from '../../diff/span.ts';
import type { TextFile } from '../runtime.ts';
import { encodeText, UNKNOWN_8BIT } from './encoding.ts';

/** The file's new bytes. Bytes between the spans are copied unchanged, whatever their encoding. */
export async function spliceRaw(
  file: TextFile,
  spans: readonly Span[],
): Promise<Outcome<readonly Buffer[]>> {
  const { raw, encoding } = file;
  if (raw === undefined) return failure(`${file.path} has no bytes on disk.`);
  const [first] = spans;
  if (first !== undefined && first.start === 0 && first.end === file.utf8.length) {
    // All of the old text is replaced, so no positions need to be mapped to bytes.
    const encoded = await encodeText(first.text, encoding);
    return encoded.ok ? success([raw.subarray(0, encoding.bom), encoded.data]) : encoded;
  }
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of spans) {
    const from = await rawOffset(file, start);
    const to = await rawOffset(file, end);
    if (from === undefined || to === undefined) {
      return failure(
        `${file.path} cannot be edited without changing other bytes: its content is not valid ${encoding.name}.`,
      );
    }
    const encoded = await encodeText(text, encoding);
    if (!encoded.ok) return encoded;
    parts.push(raw.subarray(at, from), encoded.data);
    at = to;
  }
  return success([...parts, raw.subarray(at)]);
}

/**
 * Maps a position in the UTF-8 text to an offset in the file; undefined when there is no exact
 * match.
 */
async function rawOffset(file: TextFile, position: number): Promise<number | undefined> {
  const { raw, utf8, encoding } = file;
  if (raw === undefined) return undefined;
  if (encoding.name === 'utf8') return encoding.bom + position;
  const before = await encodeBefore(file, utf8.toString('utf8', 0, position));
  if (before === undefined) return undefined;
  const end = encoding.bom + before.length;
  return raw.subarray(encoding.bom, end).equals(before) ? end : undefined;
}

async function encodeBefore({ encoding }: TextFile, text: string): Promise<Buffer | undefined> {
  // Text decoded as Latin-1 encodes to the same bytes, ASCII or not.
  if (encoding.name === UNKNOWN_8BIT) return Buffer.from(text, 'latin1');
  const encoded = await encodeText(text, encoding);
  return encoded.ok ? encoded.data : undefined;
}
