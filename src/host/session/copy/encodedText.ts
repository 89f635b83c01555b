import { isUtf8 } from 'node:buffer';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { MB } from '../../../base/units.ts';
import { changedSpan } from '../../../diff/span.ts';

/** A text in which each byte shows, also where it is not UTF-8. */
export interface EncodedText {
  /** `⟨BOM⟩` is a byte order mark, `⟨E9⟩` a byte that is not UTF-8, and `⟨⟨` the character `⟨` itself. */
  readonly shown: string;
  /** What it is called in a sentence. */
  readonly what: string;
}

/** Larger ones are listed without their content. */
export const MOST_ENCODED_BYTES = MB;

/** Undefined: it is a binary file, or too large. */
export function readEncodedText(bytes: Buffer): EncodedText | undefined {
  if (bytes.length > MOST_ENCODED_BYTES) return undefined;
  const wide = WIDE.find(({ mark }) => bytes.subarray(0, 2).equals(mark));
  if (wide !== undefined) return decodeWide(bytes.subarray(2), wide);
  if (CONTROLS.test(bytes.toString('latin1'))) return undefined;
  const isMarked = bytes.subarray(0, MARK.length).equals(MARK);
  const text = isMarked ? bytes.subarray(MARK.length) : bytes;
  const mark = isMarked ? '⟨BOM⟩' : '';
  if (!isUtf8(text)) return { shown: mark + showBytes(text), what: 'text in an unknown encoding' };
  const what = isMarked ? 'UTF-8 text with a byte order mark' : 'UTF-8 text';
  return { shown: mark + escapeSign(text.toString()), what };
}

/** What of it changes, in one line. */
export function describeSpan(before: EncodedText, after: EncodedText): string {
  const old = Buffer.from(before.shown);
  const { start, end, text } = changedSpan(old, after.shown);
  const gone = old.toString('utf8', start, end);
  if (text === '') return `without ${toShownSpan(gone)}`;
  return gone === '' ? `with ${toShownSpan(text)}` : `${toShownSpan(gone)} → ${toShownSpan(text)}`;
}

/** A part of it in a line, cut if it is long. */
export function toShownSpan(text: string): string {
  return toCodeSpan(text, SHOWN_LENGTH);
}

const SHOWN_LENGTH = 400;

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const WIDE = [
  { mark: Buffer.from([0xff, 0xfe]), label: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), label: 'utf-16be' },
] as const;

/** No text has them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\0-\x06\x0e-\x1a\x1c-\x1f]/;

function decodeWide(
  bytes: Buffer,
  { label }: Pick<(typeof WIDE)[number], 'label'>,
): EncodedText | undefined {
  try {
    const text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes);
    if (CONTROLS.test(text)) return undefined;
    const name = label.toUpperCase();
    return { shown: `⟨BOM ${name}⟩${escapeSign(text)}`, what: `${name} text` };
  } catch {
    // It has no such encoding after all.
    return undefined;
  }
}

function escapeSign(text: string): string {
  return text.replaceAll('⟨', '⟨⟨');
}

/** UTF-8 as it is, and the other bytes by their numbers. */
function showBytes(bytes: Buffer): string {
  // One character a byte; a sequence of UTF-8 begins with its length.
  return bytes
    .toString('latin1')
    .replaceAll(
      /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g,
      (found) => {
        const sequence = Buffer.from(found, 'latin1');
        if (isUtf8(sequence)) return escapeSign(sequence.toString());
        return [...sequence].map((byte) => `⟨${byte.toString(16).toUpperCase()}⟩`).join('');
      },
    );
}
