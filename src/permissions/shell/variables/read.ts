import type { Assignment } from 'unbash';
import type { ShellWord } from '../acts.ts';
import { toShellWord } from '../words.ts';
import { isOwnVariable } from './own.ts';

/**
 * The variables that `read -r name …` sets; undefined if it may do more. Without a name it sets
 * `REPLY`.
 */
export function findReadNames(words: readonly ShellWord[]): readonly string[] | undefined {
  let index = 1;
  for (; index < words.length; index += 1) {
    const { value, literal } = words[index] ?? { value: '', literal: false };
    if (!literal) return undefined;
    if (!value.startsWith('-')) break;
    if (value === '-r') continue;
    const next = words[index + 1];
    const takes =
      value === '-d' || value === '-rd' || (value === '-n' && /^\d+$/.test(next?.value ?? ''));
    if (!takes || next?.literal !== true) return undefined;
    index += 1;
  }
  const raw = words.slice(1, index).some(({ value }) => /^-r/.test(value));
  if (!raw) return undefined;
  const names = words.slice(index);
  const own = names.every(({ value, literal }) => literal && isOwnVariable(value));
  if (!own) return undefined;
  return names.length === 0 ? ['REPLY'] : names.map(({ value }) => value);
}

/** `IFS= read …` only changes how this line is split. */
export function isSeparator({ name, value, append, index }: Assignment): boolean {
  const plain = value.type === 'Word' && append !== true && index === undefined;
  return name === 'IFS' && plain && toShellWord(value).literal;
}
