/** A changed span of a file: all of it, or a fragment with some lines around it. */
export interface Hunk {
  readonly oldText: string;
  readonly newText: string;
  /** Line of the span's first row in the old file, from 1. */
  readonly line?: number;
}

/**
 * The file's text after the hunks, or undefined when one of them does not fit: agents send whole files
 * or only fragments, and the file may have changed since (facts of the protocol, interop).
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  let result = text.replace(/\r\n/g, '\n');
  let shift = 0;
  for (const hunk of hunks) {
    const oldText = hunk.oldText.replace(/\r\n/g, '\n');
    const newText = hunk.newText.replace(/\r\n/g, '\n');
    const at = locate(result, oldText, hunk.line === undefined ? undefined : hunk.line + shift);
    if (at === undefined) return undefined;
    result = result.slice(0, at) + newText + result.slice(at + oldText.length);
    shift += countLines(newText) - countLines(oldText);
  }
  return result;
}

/** The hunks that take an applied change back. Their lines are those of the old file, so they are dropped. */
export function reverse(hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map(({ oldText, newText }) => ({ oldText: newText, newText: oldText })).reverse();
}

function locate(text: string, part: string, line: number | undefined): number | undefined {
  if (part === '') return text === '' ? 0 : undefined;
  if (line !== undefined) {
    const at = offsetOfLine(text, line);
    if (at !== undefined && text.startsWith(part, at)) return at;
  }
  const first = text.indexOf(part);
  if (first === -1 || text.indexOf(part, first + 1) !== -1) return undefined;
  return first;
}

function offsetOfLine(text: string, line: number): number | undefined {
  let at = 0;
  for (let passed = 1; passed < line; passed += 1) {
    const next = text.indexOf('\n', at);
    if (next === -1) return undefined;
    at = next + 1;
  }
  return at;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
