import { countLineEnds } from './context.ts';

/**
 * A part of a file as an agent shows it: all of the text, or a changed place with some lines around it.
 * Unlike a hunk it is found by its text, since agents rarely say where it stands.
 */
export interface Fragment {
  readonly oldText: string;
  readonly newText: string;
  /** Line of the fragment's first row in the old file, from 1. */
  readonly line?: number;
}

/**
 * The text after the fragments, with LF line ends, or undefined when one of them does not fit: the file
 * may have changed since, and a fragment that stands twice is not guessed.
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

/** The fragments that undo an applied change. Their lines are those of the old file, so they are dropped. */
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
