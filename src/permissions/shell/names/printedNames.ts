import type { ShellWord } from '../acts.ts';
import type { FileNames } from '../fileNames.ts';
import { findFiltered } from '../programs/filters.ts';
import { parseSearch } from './searchOptions.ts';

/** The names that a command prints; undefined if it may print anything else. */
export function findPrintedNames(name: string, words: readonly ShellWord[]): FileNames | undefined {
  if (words.some(({ literal }) => !literal)) return undefined;
  const values = words.map(({ value }) => value);
  if (name === 'find') return findSearched(words);
  if (name === 'rg' || name === 'grep') return findMatching(name, words);
  return name === 'git' ? findTracked(values.slice(1)) : undefined;
}

function findMatching(name: string, words: readonly ShellWord[]): FileNames | undefined {
  const search = parseSearch(name, words);
  if (search?.has('l', 'L', 'files', 'files-with-matches', 'files-without-match') !== true)
    return undefined;
  // `rg -L` follows links, and prints the lines that match.
  const rg = name === 'rg';
  if (rg && !search.has('l', 'files', 'files-with-matches', 'files-without-match'))
    return undefined;
  const patterned = search.has('e', 'f', 'regexp', 'file', 'files');
  const targets = patterned ? search.operands : search.operands.slice(1);
  const all = search.has('u', '.', 'hidden', 'no-ignore', 'no-ignore-vcs', 'unrestricted');
  return {
    targets: targets.length === 0 ? ['.'] : targets,
    ...(rg && !all ? { ...VISIBLE, hidden: findFiltered(words) } : ALL),
    links: search.has(...(rg ? ['L', 'follow'] : ['R', 'dereference-recursive'])),
    separated: search.has(rg ? '0' : 'Z', 'null'),
    prefixed: targets.length > 0 && targets.every((target) => !target.startsWith('-')),
  };
}

const VISIBLE = { sweep: 'visible', includes: 'unignored' } as const;
const TRACKED = { sweep: 'visible', includes: 'tracked' } as const;
const ALL = { sweep: 'all' } as const;

/** Tests and actions of `find` after which its names are those of files in the folders. */
const FIND_WORDS =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|type|maxdepth|mindepth|mtime|mmin|newer|size|empty|not|prune|print0?|depth|xdev|mount|readable|user|perm|and|a)$/;
const FIND_VALUED =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|type|maxdepth|mindepth|mtime|mmin|newer|size|user|perm)$/;

/**
 * The names that `find` prints, or passes to `-exec`. `end`: where the first `-exec` is. Undefined
 * for anything but a list of tests that must all hold.
 */
export function findSearched(
  words: readonly ShellWord[],
  end = words.length,
): FileNames | undefined {
  const values = words.slice(1, end).map(({ value }) => value);
  const first = values.findIndex((value) => /^[-(!)]/.test(value));
  const targets = first === -1 ? values : values.slice(0, first);
  const tests = splitTests(first === -1 ? [] : values.slice(first));
  if (tests === undefined) return undefined;
  const names = tests.map(([name]) => name);
  // What is printed only passed the tests before.
  const printed = names.findIndex((name) => /^-print0?$/.test(name));
  const passed = tests
    .slice(0, printed === -1 ? tests.length : printed)
    .filter((_, index) => !/^(?:!|-not)$/.test(names[index - 1] ?? ''));
  const only = passed.findLast(([name]) => name === '-name')?.[1];
  return {
    targets: targets.length === 0 ? ['.'] : targets,
    sweep: 'all',
    ...(only !== undefined && /^[\w.*-]+$/.test(only) && { only }),
    links: !passed.some(([name, value]) => name === '-type' && value === 'f'),
    separated: names.includes('-print0') && !names.includes('-print'),
    prefixed: true,
  };
}

type Test = readonly [name: string, value?: string];

/** The tests and actions of `find`, which must all hold; undefined if there is anything else. */
export function splitTests(values: readonly string[]): readonly Test[] | undefined {
  const tests: Test[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const test = values[index] ?? '';
    if (test !== '!' && !FIND_WORDS.test(test)) return undefined;
    const valued = FIND_VALUED.test(test);
    tests.push(valued ? [test, values[index + 1] ?? ''] : [test]);
    if (valued) index += 1;
  }
  return tests;
}

/** `git ls-files` and `git diff --name-only` print the names of tracked files. */
function findTracked(args: readonly string[]): FileNames | undefined {
  const [sub = '', ...given] = args;
  const lists = sub === 'ls-files' || (sub === 'diff' && given.includes('--name-only'));
  const separator = given.indexOf('--');
  const options = (separator === -1 ? given : given.slice(0, separator)).filter((value) =>
    /^-./.test(value),
  );
  if (!lists || !options.every((option) => GIT_NAMES.test(option))) return undefined;
  const operands = separator === -1 ? given : given.slice(separator + 1);
  const patterns = operands.filter((value) => !value.startsWith('-'));
  const [only, ...others] = sub === 'ls-files' || separator !== -1 ? patterns : [];
  const named = others.length === 0 && /^\*\.\w+$/.test(only ?? '') ? only : undefined;
  // A commit may hold files that git no longer tracks: `git diff --name-only HEAD~2`.
  const [first = '--'] = given.filter((value) => value === '--' || !value.startsWith('-'));
  const past = sub === 'diff' && (first !== '--' || given.some((value) => /^--[cs]/.test(value)));
  const below =
    sub === 'ls-files' && patterns.length > 0 && patterns.every((each) => BELOW.test(each));
  return {
    targets: below ? patterns : ['.'],
    ...(past ? ALL : TRACKED),
    ...(named !== undefined && { only: named }),
    links: true,
    separated: options.includes('-z'),
    prefixed: false,
    git: args,
  };
}

/** A path below the folder, which no pattern can be. */
const BELOW = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*\/?$/;
const GIT_NAMES = /^(?:-z|--name-only|--cached|--staged|--diff-filter=[A-Zd]+|-m|--modified|-c)$/;

/** Whether a filter only leaves names out, and changes none. */
export function keepsNames(name: string, words: readonly ShellWord[]): boolean {
  const values = words.slice(1).map(({ value }) => value);
  if (words.some(({ literal }) => !literal)) return false;
  if (name === 'sort') return values.every((value) => /^-[urV]+$/.test(value));
  if (name === 'head' || name === 'tail') return /^(?:-(?:n ?)?\d+)?$/.test(values.join(' '));
  const [pattern, ...others] = values.filter((value) => !/^-[vEFiwx]+$/.test(value));
  return (
    name === 'grep' && pattern !== undefined && !pattern.startsWith('-') && others.length === 0
  );
}
