import { failure, type Outcome, success } from '../../../base/outcome.ts';

/** Part of a file's text: `bytes` start at byte `at` of `size` bytes in total. */
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

/** Extra bytes on each side that are needed to find where characters begin and end. */
export const RANGE_MARGIN = 6;

/**
 * At most `max` bytes of UTF-8 from `start` on, whole characters only. A character that is cut by the
 * start belongs to the previous range; one that is cut by the end, to the next. A range that is smaller
 * than its first character returns that character, so that reading always advances.
 */
export function toByteRange(part: TextPart, start: number, max: number): Outcome<RangeData> {
  const { bytes, at, size } = part;
  if (start > 0 && start >= size) {
    return failure(`The file has ${size} bytes; byte_offset ${start} is past its end.`);
  }
  const from = forwards(bytes, start - at);
  const wanted = Math.min(from + max, bytes.length);
  const whole = backwards(bytes, wanted);
  const end = whole > from ? whole : forwards(bytes, Math.min(from + 1, bytes.length));
  const content = bytes.toString('utf8', from, end);
  const [first, next] = [at + from, at + end];
  if (first === start && next >= size) return success({ content, total_bytes: size });
  const more = next < size ? ` Continue at ${next}.` : '';
  const note = `Bytes ${first} to ${next} of ${size}.${more}`;
  return success({ content, total_bytes: size, note });
}

/** A UTF-8 character has at most three continuation bytes. */
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

/** Whether the byte is a continuation byte. */
function isWithin(bytes: Buffer, at: number): boolean {
  return at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
