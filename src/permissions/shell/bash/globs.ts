import { expandGlob } from '../../disk/expandGlob.ts';
import { ELSEWHERE, type ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import { PROGRAMS } from '../programs/programTable.ts';
import type { Arguments } from '../simpleCommand.ts';
import { isFreeGlob, shorten } from '../words.ts';

/**
 * Replaces words with globs and brace lists by what bash would pass, if the folder is known. Which
 * programs may be given such words is for `findDoubtfulGlob`.
 */
export function expandWords(words: readonly ShellWord[], folders: Folders): readonly ShellWord[] {
  if (words.every(({ literal }) => literal)) return words;
  const [folder, ...others] = folders;
  if (folder === undefined || folder === ELSEWHERE || others.length > 0) return words;
  return words.flatMap((word, index): readonly ShellWord[] => {
    const { value, literal, tilde } = word;
    if (index === 0 || literal || tilde === true || !/[*?[{]/.test(value)) return [word];
    const expansion = expandGlob(value, folder);
    if (!expansion.ok) {
      const { why } = expansion;
      return [why === undefined ? word : { ...word, why: describe(value, why) }];
    }
    const option = expansion.values.find((each) => each.startsWith('-'));
    if (option !== undefined)
      return [{ ...word, why: describe(value, `it matches "${shorten(option)}", an option`) }];
    return expansion.values.map((each) => ({ value: each, literal: true, glob: value }));
  });
}

function describe(value: string, why: string): string {
  return `"${shorten(value)}" can't be expanded in advance, because ${why}`;
}

/**
 * Why a command can't be given the files that a glob matches: only operands that a program reads can
 * be, since another file may match when it runs, and the locale orders them. So none may be the
 * pattern or the script before the files, or the value of an option.
 */
export function findDoubtfulGlob(
  name: string,
  words: readonly ShellWord[],
  { risky, read }: Arguments,
): string | undefined {
  const globs = words.flatMap(({ glob }) => glob ?? []);
  const [first] = globs;
  if (first === undefined) return undefined;
  const row = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const reads = row?.spelledFrom === undefined && risky.size === 0 && read !== undefined;
  const other = words.find(({ glob }, index) => glob !== undefined && read?.has(index) !== true);
  // A file with the name of an option may appear before the command runs.
  const takesOptions = row?.runs !== undefined || row?.writes !== undefined;
  const free = globs.find(isFreeGlob);
  if (reads && other === undefined && !(takesOptions && free !== undefined)) return undefined;
  return `"${shorten(other?.glob ?? free ?? first)}" is only known at run time`;
}
