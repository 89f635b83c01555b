import { countLineEnds } from './context.ts';

/**
 * A part of a file as a hosted agent sends it: the whole text, or a change with some lines around
 * it. Unlike a hunk it is located by its text, because agents rarely give its position.
 */
export interface Fragment {
  readonly oldText: string;
  readonly newText: string;
  /** The fragment's first line in the old file, 1-based. */
  readonly line?: number;
}

/**
 * The text with the fragments applied, with LF line ends. Undefined when a fragment isn't found,
 * because the file may have changed, or is found more than once.
 */
export function applyFragments(text: string, fragments: readonly Fragment[]): string | undefined {
  let result = text.replace(/\r\n/g, '\n');
  let shift = 0;
  for (const fragment of fragments) {
    const oldText = fragment.oldText.replace(/\r\n/g, '\n');
    const newText = fragment.newText.replace(/\r\n/g, '\n');
    const line = fragment.line === undefined ? undefined : fragment.line + shift;
    const at = locate(result, oldText, line);
    if (at === undefined) return undefined;
    result = result.slice(0, at) + newText + result.slice(at + oldText.length);
    shift += countLineEnds(newText, 0, newText.length) - countLineEnds(oldText, 0, oldText.length);
  }
  return result;
}

/**
 * The fragments that undo an applied change. Line numbers are dropped, because they refer to the
 * old file.
 */
export function reverseFragments(fragments: readonly Fragment[]): readonly Fragment[] {
  return fragments
    .map(({ oldText, newText }) => ({ oldText: newText, newText: oldText }))
    .reverse();
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
