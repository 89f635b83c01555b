import type { ShellWord } from '../acts.ts';
import { endsOptions } from '../optionEnd.ts';
import {
  findLong,
  getNames,
  type Kind,
  type Names,
  REACHES,
  RISKY,
  TAKING,
  toSet,
} from './spellings/optionNames.ts';
import type { Program } from './tables/program.ts';

/** A program's arguments by their effect. Numbers are indices of words. */
export interface Options {
  /** Words that an allow must contain literally (corpus C8). */
  readonly risky: Set<number>;
  /** Words that run something; a command may follow them. */
  readonly runs: number[];
  readonly operands: number[];
  /** Options with a value that isn't a file. */
  readonly values: Set<number>;
  /** Operands that may be the value of the option before them. */
  readonly mayBeValues: Set<number>;
  /** Files that options name, and how they are accessed. */
  readonly files: { readonly path: string; readonly access: 'fs.read' | 'fs.write' }[];
  /** Hosts and URLs that options name, with the index of the word. */
  readonly addresses: { readonly value: string; readonly index: number }[];
  sweeps: boolean;
  /** Links below folders are followed. */
  follows: boolean;
  descends: boolean;
  stays: boolean;
  /** The operands are changed, too. */
  edits: boolean;
}

/**
 * Parses the words from `start` on, using the program's table row. Words that aren't literal count
 * as operands.
 */
export function parseOptions(
  program: Program,
  words: readonly ShellWord[],
  start: number,
): Options {
  const names = getNames(program);
  const found: Options = {
    risky: new Set(),
    runs: [],
    operands: [],
    values: new Set(),
    mayBeValues: new Set(),
    files: [],
    addresses: [],
    sweeps: program.sweeps === '*',
    follows: program.follows === '*',
    descends: false,
    stays: false,
    edits: false,
  };
  let ended = false;
  let mayBeEnded = false;
  for (let index = start; ; index += 1) {
    const word = words[index];
    if (word === undefined) return found;
    const { value: text, literal } = word;
    // Some editors and pagers have options that start with a plus: `less +!sh`, `vim +cmd`.
    const plus = program.runs !== undefined && /^\+./.test(text);
    const behind = program.optionsFirst === true && found.operands.length > 0;
    const dashed = !behind && (plus || /^-./.test(text));
    if (ended || mayBeEnded || !literal || !dashed) found.operands.push(index);
    if (ended || !literal || !dashed) continue;
    if (text === '--' && program.words !== true) {
      ended = endsOptions(words, index);
      mayBeEnded = !ended;
    } else if (plus) mark(found, index, index, 'runs');
    else if (text.startsWith('--') || program.words === true) {
      index += readLong(text, index, words, names, found);
    } else {
      const long = program.oneDash ? readLong(text, index, words, names, found) : 0;
      index += Math.max(long, readShort(text, index, words, names, found));
    }
  }
}

/** Returns the number of further words that the option takes. */
function readLong(
  text: string,
  index: number,
  words: readonly ShellWord[],
  names: Names,
  found: Options,
): number {
  const [, dashes, written = '', value] = /^(--?)([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  const name = findLong(written, names, dashes === '--');
  const letter = written.charAt(0);
  if (dashes === '-' && written.length > 1 && names.attached.has(letter)) {
    return take(found, letter, names, index, text.slice(2), words);
  }
  if (name === undefined) {
    if (names.optional.has(written)) found.values.add(index);
    return 0;
  }
  markReach(name, names, found);
  const taken = take(found, name, names, index, value, words);
  if (names.pairs.has(written) && value === undefined) {
    if (words[index + 2] !== undefined) found.operands.push(index + 2);
    return 2;
  }
  // The table lacks options without a value, so this may be one that only starts alike: behind
  // `-print`, which isn't `-printf`, the next option is one of its own.
  const mayBeOption = name !== written && words[index + 1]?.value.startsWith('-') === true;
  return mayBeOption ? 0 : taken;
}

function markReach(name: string, names: Names, found: Options): void {
  for (const reach of REACHES) if (names[reach].has(name)) found[reach] = true;
}

function readShort(
  text: string,
  index: number,
  words: readonly ShellWord[],
  names: Names,
  found: Options,
): number {
  if (names.letters === 'first') return readFirst(text, index, words, names, found);
  let taken = 0;
  for (const [at, letter] of text.split('').entries()) {
    markReach(letter, names, found);
    if (names.optional.has(letter)) return taken;
    if (!TAKING.some((kind) => names[kind].has(letter))) continue;
    if (names.letters === 'apart') {
      if (RISKY.some((kind) => names[kind].has(letter))) found.risky.add(index);
      taken += take(found, letter, names, index + taken, undefined, words);
      continue;
    }
    const rest = text.slice(at + 1);
    const next = take(found, letter, names, index, rest === '' ? undefined : rest, words);
    // The table doesn't say whether a risky option has a value, so the following letters may be
    // options, too.
    if (!RISKY.some((kind) => names[kind].has(letter))) return next;
  }
  return taken;
}

/** Reads a word of which only the first letter counts, unless the word is a long name: `-len 5`. */
function readFirst(
  text: string,
  index: number,
  words: readonly ShellWord[],
  names: Names,
  found: Options,
): number {
  const name = text.slice(1);
  if (TAKING.some((kind) => names[kind].has(name)))
    return take(found, name, names, index, undefined, words);
  const letter = name.charAt(0);
  if (TAKING.some((kind) => names[kind].has(letter)))
    take(found, letter, names, index, name.slice(1), words);
  return 0;
}

/** Returns the number of further words that the option takes; 0 if its value is attached. */
function take(
  found: Options,
  name: string,
  names: Names,
  index: number,
  own: string | undefined,
  words: readonly ShellWord[],
): number {
  const next = own === undefined ? words[index + 1]?.value : undefined;
  const last = next === undefined ? index : index + 1;
  const value = own ?? next ?? '';
  if (names.workFolders.has(name)) return takeFolder(found, index, own);
  const risky = RISKY.find((kind) => names[kind].has(name));
  if (names.valued.has(name)) found.values.add(index);
  if (risky !== undefined) {
    mark(found, index, last, risky);
    if (own === undefined && risky === 'runs') found.mayBeValues.add(last);
  }
  if (value !== '') {
    if (names.addresses.has(name)) found.addresses.push({ value, index: last });
    if (names.reads.has(name) || risky === 'lists')
      found.files.push({ path: value, access: 'fs.read' });
    if (risky === 'writes') found.files.push({ path: value, access: 'fs.write' });
  }
  // The table doesn't say whether a risky option has a value, so the next word stays an operand,
  // too.
  return risky === undefined && TAKING.some((kind) => names[kind].has(name)) ? last - index : 0;
}

/** The next word stays an operand, which is read and written as well. */
function takeFolder(found: Options, index: number, own = ''): number {
  const path = own.replace(/^=/, '');
  if (path === '') return 0;
  found.values.add(index);
  for (const access of ['fs.read', 'fs.write'] as const) found.files.push({ path, access });
  return 0;
}

/**
 * Marks the words from `index` to `last` as ones that an allow must contain literally, and the
 * first as possibly running something.
 */
export function mark(found: Options, index: number, last: number, kind: Kind): void {
  found.risky.add(index);
  found.risky.add(last);
  if (kind === 'runs') found.runs.push(index);
}

/** `tar cfI a.tar program b`: letters without a dash, whose values are the next words in order. */
export function readOldOptions(words: readonly ShellWord[], options: Options): void {
  const letters = words[1]?.value ?? '';
  if (!/^[a-zA-Z]+$/.test(letters)) return;
  if (options.operands[0] === 1) options.operands.shift();
  if (/[cruA]/.test(letters)) options.sweeps = true;
  if (letters.includes('h')) options.follows = true;
  if (!/[IFT]/.test(letters)) return;
  for (const index of words.keys()) options.risky.add(index);
  options.runs.push(1);
}

/**
 * The indices of the operands that are files: not the pattern of `grep PATTERN file`, unless it may be
 * the value of an option.
 */
export function findFiles(
  program: Program,
  words: readonly ShellWord[],
  options: Options,
): readonly number[] {
  const { skip = 0 } = program;
  if (skip === 0 || takesAnother(program, words, options)) return options.operands;
  return options.operands.filter((index, at) => at >= skip || options.mayBeValues.has(index));
}

/** Whether an option replaces the operands before the files: `grep -e PATTERN file`. */
function takesAnother(
  program: Program,
  words: readonly ShellWord[],
  { operands }: Options,
): boolean {
  if (program.instead === undefined) return false;
  const names = [...toSet(program.instead)];
  const plain = new Set(operands);
  return words.some(({ value }, index) => {
    if (plain.has(index) || !value.startsWith('-')) return false;
    const long = /^--([\w-]+)/.exec(value)?.[1];
    return names.some((name) =>
      long === undefined ? name.length === 1 && value.includes(name) : name.startsWith(long),
    );
  });
}

/** `;`, or a `+` right after `{}`. */
function endsInner(words: readonly ShellWord[], index: number): boolean {
  const value = words[index]?.value;
  return value === ';' || (value === '+' && words[index - 1]?.value === '{}');
}

/** `find -exec cmd {} ;`, `fd -x cmd`: the words up to the end marker. */
export function findInner(
  words: readonly ShellWord[],
  { runs, risky }: Options,
): readonly (readonly ShellWord[])[] {
  const found: (readonly ShellWord[])[] = [];
  let next = 0;
  for (const at of runs) {
    // The words before the end marker belong to the command, including a nested `-exec`.
    if (at < next) continue;
    let end = at + 1;
    while (words[end] !== undefined && !endsInner(words, end)) end += 1;
    next = end + 1;
    for (let index = at; index <= end; index += 1) risky.add(index);
    const inner = words.slice(at + 1, end);
    found.push(
      inner.map((word) => (word.value.includes('{}') ? { ...word, literal: false } : word)),
    );
  }
  return found.filter((inner) => inner.length > 0);
}
