import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { PipelineNode, Word } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { expandGlob, type GlobBudget } from '../../disk/expandGlob.ts';
import { findGitFolder } from '../../repository/gitFolder.ts';
import { listTrackedFiles } from '../../repository/trackedFiles.ts';
import { ELSEWHERE, type FileAct, type GlobValue, type ShellWord } from '../acts.ts';
import { describeGlob } from '../doubts.ts';
import type { Folders } from '../folders.ts';
import { findPipedLoop } from '../names/pipedLoop.ts';
import { PROGRAMS } from '../programs/tables/programTable.ts';
import type { Arguments } from '../simpleCommand.ts';
import type { Value } from '../variableScope.ts';
import { expandWords as bindWords } from '../variables/expand.ts';
import { toLoopValue } from '../variables/loops.ts';
import type { Walk } from '../walkState.ts';
import { isFreeGlob, literalWord } from '../words.ts';
import { findTop } from './enter.ts';

/**
 * Replaces words with globs and brace lists by what bash would pass, if the folder is known, and the
 * variable of a loop over a glob by all its values. Which programs may be given such words is for
 * `findDoubtfulGlob`.
 */
export function expandWords(
  words: readonly ShellWord[],
  folders: Folders,
  budget: GlobBudget,
): readonly ShellWord[] {
  if (words.every(({ literal }) => literal)) return words;
  const [folder, ...others] = folders;
  if (folder === undefined || folder === ELSEWHERE || others.length > 0) return words;
  return words.flatMap((word, index): readonly ShellWord[] => {
    const { value, literal, tilde, each } = word;
    if (index > 0 && each !== undefined)
      return TESTS.has(words[0]?.value ?? '') ? [word] : toMatches(each.matches, each.glob);
    if (index === 0 || literal || tilde === true || !/[*?[{]/.test(value)) return [word];
    const expansion = expandGlob(value, folder, budget);
    if (!expansion.ok) {
      const { why } = expansion;
      return [why === undefined ? word : { ...word, why: describe(value, why) }];
    }
    // A list alone is the same words wherever it runs.
    if (readsFiles(words) && !/[*?[]/.test(value)) return expansion.values.map(literalWord);
    const named = isNamePattern(words, index, value);
    const option = named ? undefined : expansion.values.find((each) => each.startsWith('-'));
    if (option !== undefined)
      return [{ ...word, why: describe(value, `it matches ${toCodeSpan(option)}, an option`) }];
    return toMatches(expansion.values, value);
  });
}

/** A loop of more files asks: its commands aren't followed one by one. */
const SINGLES_LIMIT = 512;

/**
 * Adds a command of a loop over files once for each file, as it runs, for rules that ask about or deny just that. What
 * allows is decided for all of them together. Returns why it asks, if there are too many.
 */
export function addSingles(words: readonly ShellWord[], walk: Walk): string | undefined {
  const lists = [...new Set(words.flatMap(({ each }) => each ?? []))];
  if (!walk.expands || lists.length === 0 || TESTS.has(words[0]?.value ?? '')) return undefined;
  const count = lists.reduce((product, { matches }) => product * matches.length, 1);
  if (count > SINGLES_LIMIT) return `Gatehouse doesn't follow a loop over ${count} files.`;
  const first = words.findIndex(({ each }) => each !== undefined);
  // A launcher's words begin another command.
  const starts = Object.hasOwn(PROGRAMS, words[0]?.value ?? '') ? [0] : [...words.keys()];
  for (const chosen of combine(lists)) {
    const single = words.map((word): ShellWord => {
      const value = word.each && chosen.get(word.each);
      return value === undefined ? word : { value, literal: true, glob: word.each?.glob ?? '' };
    });
    for (const at of starts.filter((start) => start < Math.max(first, 1)))
      walk.acts.push({ ...ONLY_TIGHTENS, words: single.slice(at) });
  }
  return undefined;
}

const ONLY_TIGHTENS = { kind: 'command', risky: new Set<number>(), tightensOnly: true } as const;

/** Each combination of matches, by the list that a match is of. */
function combine(lists: readonly GlobValue[]): readonly ReadonlyMap<GlobValue, string>[] {
  let found: readonly ReadonlyMap<GlobValue, string>[] = [new Map()];
  for (const list of lists)
    found = found.flatMap((each) => list.matches.map((match) => new Map([...each, [list, match]])));
  return found;
}

/** Whether the program reads its operands, unlike builtins that set the variables that they name. */
function readsFiles([program]: readonly ShellWord[]): boolean {
  const name = program?.value ?? '';
  return Object.hasOwn(PROGRAMS, name) && PROGRAMS[name]?.operands === 'reads';
}

/** Their operators are in fixed places, so any value may be tested. */
const TESTS: ReadonlySet<string> = new Set(['test', '[']);

function toMatches(values: readonly string[], glob: string): readonly ShellWord[] {
  return values.map((value) => ({ value, literal: true, glob }));
}

/** The values of a loop's variable. Adds the files that its globs match, since the loop may print their names. */
export function findLoopValue(
  words: readonly Word[],
  folders: Folders,
  walk: Walk,
): Value | undefined {
  const known = toLoopValue(words, walk.scope);
  if (known !== undefined || !walk.expands) return known;
  const [word, ...more] = words;
  const found =
    (more.length === 0 ? findTracked(word?.text ?? '', folders) : undefined) ??
    findMatches(bindWords(words, walk.scope).flat(), folders, walk.globs);
  for (const act of toReadActs(found, folders, 'operand')) walk.acts.push(act);
  return found;
}

/** What `read` gets in a loop behind a pipe. Adds the files, like `findLoopValue`. */
export function findPipedNames(node: PipelineNode, folders: Folders, walk: Walk): Walk['reads'] {
  const loop = walk.expands ? findPipedLoop(node) : undefined;
  const value = loop && findTracked(loop.list, folders);
  if (loop === undefined || value === undefined) return undefined;
  for (const act of toReadActs(value, folders, 'operand')) walk.acts.push(act);
  return { name: loop.name, value };
}

/** `$(git ls-files)`, `$(git ls-files src)` with a path below the folder, and `$(git ls-files '*.ts')`. */
const TRACKED =
  /^\$\(git ls-files(?: (?:((?:(?!\.{1,2}(?:\/|\)))[\w.][\w.-]*(?:\/|(?=\))))+)|(?:'\*((?:\.\w+)+)'|"\*((?:\.\w+)+)")))?\)$/;
/** A name that git doesn't quote, the shell neither splits nor expands, and no program takes for an option. */
const PLAIN = /^[\w.][\w./+@=,-]*[\w+@=,-]$|^\w$/;
const NAMES_LIMIT = 512;

/** The tracked files that a loop takes in turn; undefined: they can't be told, or there are too many. */
function findTracked(text: string, folders: Folders): GlobValue | undefined {
  const [folder = ELSEWHERE, ...others] = folders;
  const [glob, below = '', single = '', double = ''] = TRACKED.exec(text) ?? [];
  const ending = single || double;
  if (glob === undefined || folder === ELSEWHERE || others.length > 0) return undefined;
  try {
    const [top, git] = [findTop(folder), findGitFolder(folder)];
    const names = git && listTrackedFiles(git);
    if (top === undefined || names === undefined) return undefined;
    // Git prints the names relative to the folder.
    const own = path.relative(realpathSync(top), realpathSync(folder));
    const start = own === '' ? '' : `${own}/`;
    const wanted = `${start}${below.replace(/\/$/, '')}`;
    const found = names
      .filter((name) => wanted === start || name === wanted || name.startsWith(`${wanted}/`))
      .filter((name) => name.startsWith(start) && name.endsWith(ending))
      .map((name) => name.slice(start.length));
    const known = found.length <= NAMES_LIMIT && found.every((name) => PLAIN.test(name));
    return known ? { glob, matches: [...new Set(found)] } : undefined;
  } catch {
    // The folder or the repository can't be read.
    return undefined;
  }
}

/** The reading of each match. */
export function toReadActs(
  each: GlobValue | undefined,
  folders: Folders,
  role: FileAct['role'],
): readonly FileAct[] {
  return (each?.matches ?? []).map((target) => {
    return { kind: 'file', access: 'fs.read', target, folders, role, glob: each?.glob ?? '' };
  });
}

/** The files that a loop over these words takes in turn; undefined: there is no glob, or it isn't known. */
function findMatches(
  words: readonly ShellWord[],
  folders: Folders,
  budget: GlobBudget,
): GlobValue | undefined {
  const [, ...expanded] = expandWords([literalWord('for'), ...words], folders, budget);
  const glob = expanded.find((word) => word.glob !== undefined)?.glob;
  if (glob === undefined) return undefined;
  const known = expanded.every(({ value, literal, tilde }) => {
    return literal && tilde !== true && !value.startsWith('-');
  });
  return known ? { glob, matches: expanded.map(({ value }) => value) } : undefined;
}

function describe(value: string, why: string): string {
  return `Gatehouse can't tell which files ${toCodeSpan(value)} matches, because ${why}.`;
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
  const other = words.find(
    ({ glob }, index) =>
      glob !== undefined && read?.has(index) !== true && !isNamePattern(words, index, glob),
  );
  // A file with the name of an option may appear before the command runs.
  const takesOptions = row?.runs !== undefined || row?.writes !== undefined;
  const free = globs.find(isFreeGlob);
  if (reads && other === undefined && !(takesOptions && free !== undefined)) return undefined;
  return describeGlob(other?.glob ?? free ?? first);
}

const GREPS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep']);

/**
 * Whether the word only says which names are searched, whatever it matches: every match of
 * `--include=*.ts` is such an option, and every match of `a*` behind `-name` a name. `glob`: as
 * written. Further words behind a name end `find` with an error.
 */
function isNamePattern(words: readonly ShellWord[], index: number, glob: string): boolean {
  const program = words[0]?.value ?? '';
  if (GREPS.has(program)) return /^--include=[\w.*?{},-]+$/.test(glob);
  if (program !== 'find' || !/^\w[\w.*?-]*$/.test(glob)) return false;
  // Of several matches, only the first follows the option.
  const first = words.findIndex((word) => (word.glob ?? word.value) === glob);
  return index === first && /^-i?name$/.test(words[index - 1]?.value ?? '');
}
