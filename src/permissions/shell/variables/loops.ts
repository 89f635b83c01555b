import type { Word } from 'unbash';
import { isInteger, TEXT_LIMIT, type Value, type VariableScope } from '../variableScope.ts';
import { expandWords } from './expand.ts';

/** The values that a `for` loop gives its variable. Undefined: the line doesn't show them. */
export function toLoopValue(words: readonly Word[], scope: VariableScope): Value | undefined {
  const texts: string[] = [];
  let numbers = false;
  for (const word of words) {
    const listed = listBraces(word) ?? listSequence(word) ?? listLiterals(word, scope);
    if (listed === undefined) return undefined;
    if (listed === 'number') numbers = true;
    else texts.push(...listed);
  }
  const known: Value = { texts: [...new Set(texts)] };
  if (!numbers && known.texts.length <= TEXT_LIMIT) return known;
  return isInteger(known) ? 'number' : 'output';
}

function listLiterals(word: Word, scope: VariableScope): readonly string[] | undefined {
  const fields = expandWords([word], scope).flat();
  if (fields.some(({ literal, tilde }) => !literal || tilde === true)) return undefined;
  return fields.map(({ value }) => value);
}

/** `{1..5}` and `{a,b}`, without anything around or inside the braces. */
function listBraces({ text, parts = [] }: Word): readonly string[] | 'number' | undefined {
  if (parts.length !== 1 || parts[0]?.type !== 'BraceExpansion') return undefined;
  const range = /^\{(\d{1,9})\.\.(\d{1,9})\}$/.exec(text);
  if (range !== null) return countUp(range[1] ?? '', range[2] ?? '');
  return /^\{[\w./-]+(,[\w./-]+)+\}$/.test(text) ? text.slice(1, -1).split(',') : undefined;
}

/** `$(seq 5)` and `$(seq 2 5)`. */
function listSequence({ text, parts = [] }: Word): readonly string[] | 'number' | undefined {
  if (parts.length !== 1 || parts[0]?.type !== 'CommandExpansion') return undefined;
  const [, first, last] = /^\$\(seq (\d{1,9})(?: (\d{1,9}))?\)$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return last === undefined ? countUp('1', first) : countUp(first, last);
}

function countUp(from: string, to: string): readonly string[] | 'number' {
  const [start, end] = [Number(from), Number(to)];
  const padded = [from, to].some((each) => /^0\d/.test(each));
  if (padded || start > end || end - start >= TEXT_LIMIT) return 'number';
  return Array.from({ length: end - start + 1 }, (_, at) => String(start + at));
}
