import { failure, type Outcome, success } from '../../../base/outcome.ts';

/** Bytes of a text: `bytes` begin at `at` of the whole, which has `size`. */
export interface TextPart {
  readonly bytes: Buffer;
  readonly at: number;
  readonly size: number;
}

export interface RangeData {
  readonly content: string;
  readonly total_bytes: number;
  readonly note?: string;
}

/** More bytes than the range that are needed to tell where its last character ends. */
export const RANGE_MARGIN = 6;

/**
 * At most `max` bytes of UTF-8 from `start` on, whole characters only: one that the range begins within
 * is left to the range before, and one that it ends within to the next. A range that is too small for
 * its character gives that character, so that going on never stands still.
 */
export function toByteRange(part: TextPart, start: number, max: number): Outcome<RangeData> {
  const { bytes, at, size } = part;
  if (start > 0 && start >= size) {
    return failure(`The file has ${size} bytes; byte_offset ${start} is behind its end.`);
  }
  const from = forwards(bytes, start - at);
  const wanted = Math.min(from + max, bytes.length);
  const whole = backwards(bytes, wanted);
  const end = whole > from ? whole : forwards(bytes, Math.min(from + 1, bytes.length));
  const content = bytes.toString('utf8', from, end);
  const [first, next] = [at + from, at + end];
  if (first === start && next >= size) return success({ content, total_bytes: size });
  const more = next < size ? ` Go on at ${next}.` : '';
  const note = `Bytes ${first} to ${next} of ${size}.${more}`;
  return success({ content, total_bytes: size, note });
}

/** A character has at most three bytes behind its first: more of them are no text. */
const BEHIND = 3;

function forwards(bytes: Buffer, position: number): number {
  const limit = Math.min(bytes.length, position + BEHIND);
  let at = position;
  while (at > 0 && at < limit && isWithin(bytes, at)) at += 1;
  return at;
}

function backwards(bytes: Buffer, position: number): number {
  let at = position;
  while (at > 0 && at > position - BEHIND && isWithin(bytes, at)) at -= 1;
  return at;
}

/** Whether the byte there goes on with a character that began before. */
function isWithin(bytes: Buffer, at: number): boolean {
  return at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
