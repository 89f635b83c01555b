import { failure, type Outcome, success } from '../base/outcome.ts';
import { KB } from '../base/units.ts';

/** The line end most lines of the text's head have; `\n` when there is none. */
export function mainLineEnd(utf8: Buffer): '\n' | '\r\n' {
  const head = utf8.subarray(0, 64 * KB);
  let all = 0;
  let pairs = 0;
  for (let at = head.indexOf(10); at >= 0; at = head.indexOf(10, at + 1)) {
    all += 1;
    if (at > 0 && head[at - 1] === 13) pairs += 1;
  }
  return pairs * 2 > all ? '\r\n' : '\n';
}

/** A text that brings `\r\n` of its own means what it says. */
export function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  if (lineEnd === '\n' || text.includes('\r')) return text;
  return text.replaceAll('\n', '\r\n');
}

/** A NUL makes a file binary, which no tool could then read as text or edit back. */
export function checkText(text: string): Outcome<void> {
  if (!text.includes('\0')) return success(undefined);
  return failure(
    'The text holds a NUL character, and binary content cannot be written. Nothing was changed. Leave the NUL out, or use bash.',
  );
}
