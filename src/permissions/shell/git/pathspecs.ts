import { isExclusion } from '../../patterns/revision.ts';
import type { ShellWord } from '../acts.ts';

/** Global options by which git reads all paths differently: in any case, or `:!x` as a name. */
const READS_ANEW = /^--(?:icase|literal|glob|noglob)-pathspecs$/;

/** Whether it can't be told which files the paths of a command are. `options` are those of git itself. */
export function readsPathsAnew(options: readonly ShellWord[]): boolean {
  return options.some(({ value }) => READS_ANEW.test(value));
}

/** Options whose value is a string, by subcommand. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  grep: /^-e$/,
  commit: /^(?:-m|--message)$/,
  stash: /^(?:-m|--message)$/,
  log: /^(?:-S|-G|--grep|--author|--committer)$/,
  show: /^(?:-S|-G|--grep|--author|--committer)$/,
  diff: /^(?:-S|-G)$/,
};

/** Removes search patterns, messages and similar texts: `git grep '.*x' src` names one path. */
export function dropTexts(sub: string, given: readonly ShellWord[]): readonly ShellWord[] {
  const option = Object.hasOwn(TEXTS, sub) ? TEXTS[sub] : undefined;
  const is = (index: number) => option?.test(given[index]?.value ?? '') === true;
  const asks = sub === 'grep' && !given.some(({ value }) => /^-[a-zA-Z]*[ef]/.test(value));
  const first = asks ? given.findIndex(({ value }) => !value.startsWith('-')) : -1;
  const mark = given.findIndex(({ value }) => value === '--');
  // The value of an option may look like an option: `-S -S '*.env'` names a path.
  return given.filter((_, index) => {
    if (mark >= 0 && index > mark) return true;
    return index !== first && !(is(index - 1) && !is(index - 2));
  });
}

/**
 * Whether the `--` at `mark` of `git grep` stands before its pattern, as in `git grep -- x`: what follows is the pattern
 * then, and no path. `given` are the words behind `grep`.
 */
export function marksPattern(given: readonly ShellWord[], mark: number): boolean {
  const before = given.slice(0, mark);
  if (before.some(({ value }) => /^-[a-zA-Z]*[ef]/.test(value))) return false;
  return before.every(
    ({ value }, index) => value.startsWith('-') || NUMBERED.test(before[index - 1]?.value ?? ''),
  );
}

/** Options of `git grep` whose value is the next word: numbers of lines, files, folders or threads. */
const NUMBERED = /^-[a-zA-Z]*[mABC]$|^--(?:m|th|af|be|con)[a-z-]*$/;

/**
 * The last names that matching paths may have, where undefined is any: of files that are named so, and of
 * those below folders that are, because git's `*` is any path.
 */
export function toNames(path: string): readonly (string | undefined)[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '') return ['*'];
  if (!/[*?[]/.test(path) || path.includes('\\')) return [name, undefined];
  let length = name.length;
  while (name[length - 1] === '?') length -= 1;
  const end = name.slice(length);
  // Git's `?` is a slash, too. No path ends with one.
  if (end.length > 1) return [name, undefined];
  const below = name.slice(0, length).replace(/^.*[*?\]]/s, '*') + end;
  if (below === name) return [name];
  return [name, below === '*' ? undefined : below];
}

/**
 * Whether the word is a pattern, or has magic. A command with only exclusions affects the whole tree.
 */
export function isOwnPattern(value: string): boolean {
  if (value.startsWith(':')) return /^:[/(]/.test(value) && !isExclusion(value);
  return /[*?[]/.test(value);
}
