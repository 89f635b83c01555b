import { isUtf8 } from 'node:buffer';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { TextEncoding } from '../runtime.ts';

/** A file's text as UTF-8, without a byte order mark. */
export interface Decoded {
  readonly utf8: Buffer;
  readonly encoding: TextEncoding;
}

/**
 * 8-bit text in an unknown encoding. Decoded as Latin-1, which preserves every byte; only ASCII may
 * be written to it.
 */
export const UNKNOWN_8BIT = 'unknown-8bit';

/**
 * Decodes by byte order mark, then by `hint` (the editor's setting), then as UTF-8. Undefined for
 * binary content.
 */
export async function decodeText(raw: Buffer, hint?: string): Promise<Decoded | undefined> {
  const marked = findMark(raw);
  if (marked?.name === 'utf8') return { utf8: raw.subarray(marked.bom), encoding: marked };
  if (marked !== undefined) return decodeAs(raw, marked);
  const name = normalName(hint);
  if (name !== undefined && name !== 'utf8') return decodeAs(raw, { name, bom: 0 });
  if (raw.subarray(0, PROBE_BYTES).includes(0)) return undefined;
  if (isUtf8(raw)) return { utf8: raw, encoding: { name: 'utf8', bom: 0 } };
  return { utf8: Buffer.from(raw.toString('latin1')), encoding: { name: UNKNOWN_8BIT, bom: 0 } };
}

/**
 * Encodes `text` without a byte order mark. Fails when a character does not survive the round trip.
 */
export async function encodeText(
  text: string,
  { name }: Pick<TextEncoding, 'name'>,
): Promise<Outcome<Buffer>> {
  if (name === 'utf8') return success(Buffer.from(text));
  if (name === UNKNOWN_8BIT) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII is.
    if (/^[\x00-\x7f]*$/.test(text)) return success(Buffer.from(text, 'latin1'));
    return failure(
      'The file is not UTF-8 and its encoding is unknown, so only ASCII can be written to it. Ask the user to set files.encoding for it.',
    );
  }
  const bytes = await encodeAs(text, name);
  if ((await toUtf8(bytes, name))?.toString() === text) return success(bytes);
  return failure(
    `The file's encoding ${name} cannot represent a character in the new text. Use other characters.`,
  );
}

/** Encodes a new file as the editor would, including its byte order mark. */
export async function encodeNew(text: string, hint?: string): Promise<Outcome<Buffer>> {
  const name = normalName(hint) ?? 'utf8';
  const { default: iconv } = name === 'utf8' ? {} : await import('iconv-lite');
  if (iconv === undefined || !iconv.encodingExists(name)) {
    const marked = /^utf-?8-?bom$/i.test(hint ?? '') && !text.startsWith(MARK);
    return success(Buffer.from(marked ? MARK + text : text));
  }
  const marked = name.startsWith('utf16') && !text.startsWith(MARK);
  return encodeText(marked ? MARK + text : text, { name });
}

const MARK = '\ufeff';

/** Git's heuristic: a NUL this early means binary. */
const PROBE_BYTES = 8000;

// UTF-16 text starting with a NUL would look the same, but such a file is not text.
const UTF32LE = Buffer.from([0xff, 0xfe, 0, 0]);
const UTF32BE = Buffer.from([0, 0, 0xfe, 0xff]);

function findMark(raw: Buffer): TextEncoding | undefined {
  if (raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf) return { name: 'utf8', bom: 3 };
  if (raw.subarray(0, 4).equals(UTF32LE)) return { name: 'utf32le', bom: 4 };
  if (raw.subarray(0, 4).equals(UTF32BE)) return { name: 'utf32be', bom: 4 };
  if (raw[0] === 0xff && raw[1] === 0xfe) return { name: 'utf16le', bom: 2 };
  if (raw[0] === 0xfe && raw[1] === 0xff) return { name: 'utf16be', bom: 2 };
  return undefined;
}

/**
 * `utf8bom` is VS Code's name for UTF-8 with a mark; here it is UTF-8, as the mark is read from the
 * bytes.
 */
function normalName(hint: string | undefined): string | undefined {
  const name = hint?.toLowerCase().replace(/[^a-z0-9]/g, '');
  return name === 'utf8bom' || name === '' ? 'utf8' : name;
}

async function decodeAs(raw: Buffer, encoding: TextEncoding): Promise<Decoded | undefined> {
  const utf8 = await toUtf8(raw.subarray(encoding.bom), encoding.name);
  return utf8 && { utf8, encoding };
}

/** Undefined for an unknown encoding. */
async function toUtf8(bytes: Buffer, name: string): Promise<Buffer | undefined> {
  // Makes a trailing odd byte visible, so that the round-trip check notices it.
  const torn = bytes.length % 2 === 1 ? '\ufffd' : '';
  if (name === 'utf16le') return Buffer.from(bytes.toString('utf16le') + torn);
  if (name === 'utf16be') return Buffer.from(swapped(bytes).toString('utf16le') + torn);
  const { default: iconv } = await import('iconv-lite');
  if (!iconv.encodingExists(name)) return undefined;
  return Buffer.from(iconv.decode(bytes, name, { stripBOM: false }));
}

async function encodeAs(text: string, name: string): Promise<Buffer> {
  if (name === 'utf16le') return Buffer.from(text, 'utf16le');
  if (name === 'utf16be') return swapped(Buffer.from(text, 'utf16le'));
  const { default: iconv } = await import('iconv-lite');
  return iconv.encode(text, name);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}
