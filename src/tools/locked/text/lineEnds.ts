import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { KB } from '../../../base/units.ts';

/** `\r` alone ends the lines of files from old systems and of some instruments. */
export type LineEnd = '\n' | '\r\n' | '\r';

/** The byte that ends a line of the text: a CR counts where there is no LF at all. */
export function lineEndByte(utf8: Buffer): 10 | 13 {
  return utf8.includes(10) || !utf8.includes(13) ? 10 : 13;
}

/** The line end most lines of the text's head, or of `part` of it, have; `\n` when there is none. */
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

/** A text that brings a CR of its own means what it says. */
export function withLineEnds(text: string, lineEnd: LineEnd): string {
  if (lineEnd === '\n' || text.includes('\r')) return text;
  return text.replaceAll('\n', lineEnd);
}

/** A NUL makes a file binary, which no tool could then read as text or edit back. */
export function checkText(text: string): Outcome<void> {
  if (!text.includes('\0')) return success(undefined);
  return failure(
    'The text holds a NUL character, and binary content cannot be written. Nothing was changed. Leave the NUL out, or use bash.',
  );
}
