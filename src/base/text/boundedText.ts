import { KB } from '../units.ts';

/** The longest error text for a model or a log, in UTF-8 bytes. */
export const ERROR_BYTES = 2 * KB;

/** Stands at the end of truncated text. */
export const CUT_MARK = '…';

/** An error text that quotes data of others, cut to `most` bytes. */
export function toErrorText(text: string, most = ERROR_BYTES): string {
  // A unit is at least a byte, so what is cut off here need not be encoded.
  const bytes = Buffer.from(text.slice(0, most + 1));
  if (bytes.length <= most) return text;
  const head = bytes.subarray(0, most - Buffer.byteLength(CUT_MARK)).toString('utf8');
  // The last character may have been cut in half.
  return `${head.replace(/\uFFFD$/, '')}${CUT_MARK}`;
}
