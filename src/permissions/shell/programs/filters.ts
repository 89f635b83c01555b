import { expandLists } from '../../patterns/expandLists.ts';
import type { FileAct, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import { mayTakeNext } from '../optionEnd.ts';
import { toHiddenGlob } from '../ripgrepTypes.ts';
import type { Walk } from '../walkState.ts';
import { toOperandPaths } from '../wordPaths.ts';
import { findExclusions } from './exclusions.ts';
import type { Options } from './options.ts';
import { toSet } from './spellings/optionNames.ts';
import type { Program } from './tables/program.ts';
import { pushUnsure } from './unnamed.ts';

/**
 * Adds the files that a name pattern or a type makes ripgrep search: `rg x -g .env` searches that
 * file even if it is hidden or ignored, and `rg x -t yaml` searches `.env.yaml` if it is hidden.
 */
export function addFilters(
  name: string,
  words: readonly ShellWord[],
  targets: readonly string[],
  folders: Folders,
  below: Below | undefined,
  walk: Walk,
): void {
  if (name !== 'rg') return;
  for (const only of findFiltered(words)) {
    for (const target of targets.length === 0 ? ['.'] : targets)
      pushUnsure(target, 'fs.read', 'all', folders, walk, { ...below, only });
  }
}

/** Globs of the names that options make ripgrep find even if they are hidden. */
export function findFiltered(words: readonly ShellWord[]): readonly string[] {
  return RIPGREP.flatMap(({ option, toNames }) => findValues(option, words).flatMap(toNames));
}

interface Filter {
  /** Matches the option; its attached value is the first group. */
  readonly option: RegExp;
  /** The file names that its value includes. */
  readonly toNames: (value: string) => string | readonly string[];
}

const RIPGREP: readonly Filter[] = [
  { option: /^(?:--i?glob(?:=(.*))?|-[a-zA-Z0-9.]*?g(.+)?)$/s, toNames: toGlobNames },
  {
    option: /^(?:--type(?:=(.*))?|-[a-zA-Z0-9.]*?t(.+)?)$/s,
    toNames: (type) => toHiddenGlob(type) ?? [],
  },
  // A type defined on the line may include any name.
  { option: /^--type-add(?:=(.*))?$/s, toNames: () => ['*'] },
];

/** The last name of a glob, once for each alternative of its lists; none for an exclusion. */
function toGlobNames(glob: string): readonly string[] {
  if (glob.startsWith('!')) return [];
  // Ripgrep reads a glob as a line of an ignore file, without blanks at its end.
  return expandLists(glob.trimEnd()).map((each) => each.slice(each.lastIndexOf('/') + 1) || '*');
}

/** The values of the option, attached or as the next word, anywhere in the command. */
function findValues(option: RegExp, words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value }, index) => {
    const found = index === 0 ? null : option.exec(value);
    if (found === null) return [];
    return [found[1] ?? found[2] ?? words[index + 1]?.value ?? ''];
  });
}

/** The file names that `grep --include` includes, and whether it certainly excludes all others. */
interface Included {
  readonly names: readonly string[];
  readonly certain: boolean;
}

/** A word that looks like the option may be another option's value, or follow `--`. */
export function findIncluded(words: readonly ShellWord[]): Included | undefined {
  // If an exclusion comes first, files that none of the options match are searched, too.
  const first = words.find(({ value }) => /^--(?:inc|exc(?!lude-d))/.test(value));
  if (first?.value.startsWith('--exc') === true) return undefined;
  const names: string[] = [];
  let certain = true;
  let ended = false;
  for (const [index, { value, literal }] of words.entries()) {
    ended ||= value === '--';
    const [option, own] = /^--inc[a-z]*(?:=(.*))?$/s.exec(value) ?? [];
    if (option === undefined) continue;
    const before = words[index - 1]?.value ?? '';
    const free = /^(?!-)|^-[rRnilHhIwvsqoEFGPLazbcxUTZ]+$|=/.test(before);
    certain &&= literal && !ended && free && own !== undefined;
    names.push(own ?? words[index + 1]?.value ?? '*');
  }
  return names.length === 0 ? undefined : { names, certain };
}

/** Adds a search of a folder for files with certain names. */
export function addIncluded(
  target: string,
  { names, certain }: Included,
  folders: Folders,
  below: Below | undefined,
  walk: Walk,
): void {
  const act = { kind: 'file', access: 'fs.read', target, folders, role: 'operand' } as const;
  for (const only of names)
    walk.acts.push({ ...act, ...below, sweep: 'all', only, ...(!certain && { unsure: true }) });
}

/** What a program touches below the folders among its operands. */
export type Below = Pick<
  FileAct,
  | 'sweep'
  | 'follows'
  | 'without'
  | 'command'
  | 'arrives'
  | 'past'
  | 'unsure'
  | 'top'
  | 'includes'
  | 'archive'
  | 'carries'
>;

/** Undefined: only the operands themselves. */
export function findBelow(
  name: string,
  program: Program,
  words: readonly ShellWord[],
  options: Options,
): Below | undefined {
  if (GREPS.test(name) && recursesByValue(words)) options.sweeps = true;
  const sweep = options.sweeps && !listsNames(name, words) ? toSweep(name, words) : undefined;
  const follows = followsLinks(program, options);
  if (sweep === undefined && !follows) return undefined;
  const without = findExclusions(words);
  return {
    command: words,
    ...(sweep && { sweep }),
    ...(sweep && COPIERS.has(name) && { carries: 'all' as const }),
    ...(sweep && REMOVERS.has(name) && { carries: 'removed' as const }),
    ...(sweep === 'visible' && { includes: 'unignored' as const }),
    ...(follows && { follows: true }),
    ...(without.length > 0 && { without }),
  };
}

/** Programs that copy whole folders, and that remove them. */
const COPIERS: ReadonlySet<string> = new Set('cp rsync scp'.split(' '));
const REMOVERS: ReadonlySet<string> = new Set('rm rimraf trash trash-put del-cli'.split(' '));

export const GREPS = /^[efr]?grep$/;

/** `grep -d recurse`, which may be abbreviated, attached or the value of a cluster's last letter. */
function recursesByValue(words: readonly ShellWord[]): boolean {
  return words.some(({ value }, index) => {
    if (/^--d[a-z-]*=rec|^-[a-zA-Z]*drec/.test(value)) return true;
    return /^rec/.test(value) && /^(--d[a-z-]*|-[a-zA-Z]*d)$/.test(words[index - 1]?.value ?? '');
  });
}

function followsLinks(program: Program, { follows, descends, stays, sweeps }: Options): boolean {
  if (!follows || (stays && program.follows === '*')) return false;
  if (program.descends !== undefined) return descends;
  return program.sweeps === undefined || sweeps;
}

/** `rg --files` prints names, and `-e --files` is a pattern. */
function listsNames(name: string, words: readonly ShellWord[]): boolean {
  if (name !== 'rg') return false;
  return words.some(
    ({ value }, index) =>
      /^--(files|type-list)$/.test(value) && !words[index - 1]?.value.startsWith('-'),
  );
}

/** These programs skip hidden files unless an option includes them. */
function toSweep(name: string, words: readonly ShellWord[]): 'all' | 'visible' {
  if (name !== 'rg' && name !== 'ag') return 'all';
  // In rg, `-U` and `-a` affect lines and bytes.
  const told = name === 'rg' ? /^-[^-ABCEMTdefgjmrt]*[u.]/ : /^-[a-zA-Z]*[uUa]/;
  const all = words.some(
    ({ value }) =>
      told.test(value) || /^--(hidden|unrestricted|no-ignore.*|search-zip|all-types)/.test(value),
  );
  return all ? 'all' : 'visible';
}

/**
 * What a copying program does with one operand: it reads from all but the last, below which the
 * copies arrive. Undefined: it can't be told which is the last, or all are alike.
 */
export function findArrival(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
): number | undefined {
  if (!/^(cp|rsync|scp)$/.test(name) || operands.length < 2) return undefined;
  const names = words.some(({ value }) => name === 'cp' && /^-[a-zA-Z]*t|^--t/.test(value));
  return names ? undefined : operands.at(-1);
}

/** Whether a copy also removes what its destination holds. */
export function deletesThere(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => /^--(del|remove-s|force)/.test(value));
}

/** Programs that search the current folder by default. */
const SEARCHES = /^(?:[efr]?grep|rga?|ag|ack|ug(?:rep)?\+?|sift|pt)$/;

/** Scripts that pass each file to grep's standard input, beside which a recursive grep searches the current folder. */
const FEEDS = /^(?:z|xz|bz|lz|lz4|zstd)[ef]?grep$/;

/**
 * Whether a search may have no folder operand after all and search the current folder: a word may be
 * an option's value, or the pattern that another option seems to replace.
 */
export function maySearchHere(
  name: string,
  { skip = 0, instead }: Program,
  words: readonly ShellWord[],
  operands: readonly number[],
): boolean {
  if (FEEDS.test(name)) return true;
  if (!SEARCHES.test(name)) return false;
  const given = new Set(operands);
  const isCertain = (index: number) => given.has(index - 1) || !mayTakeNext(name, words[index - 1]);
  const certain = operands.filter(isCertain).length;
  const names = toSet(instead);
  const replaced = words.some(({ value }) => {
    const long = /^--([\w-]+)/.exec(value)?.[1];
    if (long !== undefined) return names.has(long);
    const [before, last] = [value.slice(0, -1), value.slice(-1)];
    const free = before === '-' || !mayTakeNext(name, { value: before, literal: true });
    return value.startsWith('-') && names.has(last) && free;
  });
  return certain - (replaced ? 0 : skip) <= 0;
}

/** What `find -delete` may remove below its folders: files with one name, or any. */
export function addDeleted(
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Folders,
  walk: Walk,
): void {
  const targets = operands.flatMap((index) => toOperandPaths(words[index], 'files'));
  const only = findOnlyName(words);
  const act = { kind: 'file', access: 'fs.write', folders, role: 'operand' } as const;
  for (const target of targets.length === 0 ? ['.'] : targets)
    walk.acts.push({
      ...act,
      target,
      sweep: 'all',
      unsure: true,
      carries: 'removed',
      ...(only && { only }),
    });
}

/** The pattern of the only `-name`, if nothing else may match instead. */
function findOnlyName(words: readonly ShellWord[]): string | undefined {
  const [at, ...others] = words.flatMap(({ value }, index) => (value === '-name' ? [index] : []));
  const alternatives = words.some(({ value }) => /^(?:[!,()]|-o|-or|-not)$/.test(value));
  const pattern = at === undefined || alternatives ? undefined : words[at + 1];
  const plain = pattern?.literal === true && /^[^[\\?]+$/.test(pattern.value);
  return others.length === 0 && plain ? pattern.value : undefined;
}
