import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { KB } from '../../../base/units.ts';

/** A lone `\r` is the line end of files from old systems and some instruments. */
export type LineEnd = '\n' | '\r\n' | '\r';

/** The byte that ends a line: LF, or CR when the text has no LF at all. */
export function lineEndByte(utf8: Buffer): 10 | 13 {
  return utf8.includes(10) || !utf8.includes(13) ? 10 : 13;
}

/** The most common line end in the first 64 KB of the text or of `part`; `\n` when there is none. */
export function mainLineEnd(utf8: Buffer, part = utf8): LineEnd {
  if (lineEndByte(utf8) === 13) return '\r';
  const head = part.subarray(0, 64 * KB);
  let all = 0;
  let pairs = 0;
  for (let at = head.indexOf(10); at >= 0; at = head.indexOf(10, at + 1)) {
    all += 1;
    if (at > 0 && head[at - 1] === 13) pairs += 1;
  }
  return pairs * 2 > all ? '\r\n' : '\n';
}

/** Converts line ends, unless the text has a CR of its own: then its line ends are deliberate. */
export function withLineEnds(text: string, lineEnd: LineEnd): string {
  if (lineEnd === '\n' || text.includes('\r')) return text;
  return text.replaceAll('\n', lineEnd);
}

/** Rejects NUL: it would make the file binary, so that no tool could read or edit it as text. */
export function checkText(text: string): Outcome<void> {
  if (!text.includes('\0')) return success(undefined);
  return failure(
    'The text contains a NUL character, and binary content cannot be written. Nothing was changed. Remove the NUL, or use bash.',
  );
}
