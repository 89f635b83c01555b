import type { FileAct, PassedNames, ShellWord } from '../acts.ts';
import { type FileNames, SPLIT } from '../fileNames.ts';
import type { Folders } from '../folders.ts';
import { endsOptions } from '../optionEnd.ts';
import { analyzeArguments } from '../programs/arguments.ts';
import { toRow } from '../programs/knownNames.ts';
import type { Arguments, SimpleCommand } from '../simpleCommand.ts';
import type { Walk } from '../walkState.ts';
import { findSearched, splitTests } from './printedNames.ts';

/** They print the names themselves, whatever these are. */
const PRINTERS: ReadonlySet<string> = new Set(['echo', 'basename', 'dirname']);
/** No option makes them write or run. */
const READERS: ReadonlySet<string> = new Set([
  'cat',
  'head',
  'tail',
  'nl',
  'tac',
  'ls',
  'stat',
  'grep',
  'egrep',
  'fgrep',
  'wc',
  ...PRINTERS,
]);
/** The options of these may do more, so no name may be one. */
const CAREFUL: ReadonlySet<string> = new Set([
  'sed',
  'cut',
  'sort',
  'du',
  'md5sum',
  'sha1sum',
  'sha256sum',
  ...READERS,
]);

/**
 * How a command gets these names behind its words, if it only reads the files; undefined: it may do
 * more. `xargs` splits a name at its spaces unless names end with NUL.
 */
function readNames(
  name: string,
  words: readonly ShellWord[],
  names: FileNames,
  splits: boolean,
): PassedNames | undefined {
  if (words.some(({ literal }) => !literal)) return undefined;
  const values = words.slice(1).map(({ value }) => value);
  const safe = names.prefixed || endsOptions(words, words.length - 1);
  if (!(safe ? CAREFUL : READERS).has(name) || !hasShape(name, values)) return undefined;
  if (splits && names.targets.some((target) => SPLIT.test(target))) return undefined;
  return { to: name, options: !safe, splits, ...(names.git && { git: names.git }) };
}

/** A name must become an operand, not a script or the value of an option. */
function hasShape(name: string, values: readonly string[]): boolean {
  const plain = values.at(-1) === '--' ? values.slice(0, -1) : values;
  if (name === 'sed') return /^(?:-[nErsuz]+\0)*(?:-e\0)?[^-\0][^\0]*$/.test(plain.join('\0'));
  if (name === 'grep' || name === 'egrep' || name === 'fgrep')
    return /^[^-]|^$/.test(plain.at(-1) ?? '-');
  // These read lists of names, or write.
  const lists = /^(?:-[a-z]*c|--ch|--files0|-[a-zA-Z]*[oT]|--[ot])/;
  return (
    !/^(?:sort|du|wc|md5sum|sha\d+sum)$/.test(name) ||
    !plain.some((value) => (name !== 'wc' ? lists.test(value) : value.startsWith('--files0')))
  );
}

/** Adds what a command reads that gets these names. */
export function addNames(
  passes: PassedNames,
  names: FileNames,
  folders: Folders,
  walk: Walk,
): void {
  if (PRINTERS.has(passes.to)) return;
  const { sweep, includes, only, hidden = [], links } = names;
  for (const target of names.targets) {
    const act: FileAct = {
      kind: 'file',
      access: 'fs.read',
      target,
      folders,
      role: 'operand',
      sweep,
      ...(links && { follows: true }),
      ...((passes.options || passes.splits || passes.git) && { passes }),
    };
    const own = { ...(includes && { includes }), ...(only !== undefined && { only }) };
    walk.acts.push({ ...act, ...own });
    for (const each of hidden) walk.acts.push({ ...act, sweep: 'all', only: each });
  }
}

/**
 * The words of a command whose last word prints these names, if it only reads the files; adds these,
 * and what it reads if no name is printed. Otherwise the words as they are.
 */
export function passNames(
  words: readonly ShellWord[],
  names: FileNames | undefined,
  folders: Folders,
  walk: Walk,
): readonly ShellWord[] {
  const [given, last] = [words.slice(0, -1), words.at(-1)];
  const [program] = given;
  if (program === undefined || last?.literal !== false) return words;
  if (names === undefined || names.separated || !walk.expands) return words;
  const passes = readNames(program.value, given, names, true);
  if (passes === undefined) return words;
  addNames({ ...passes, expands: true }, names, folders, walk);
  const row = toRow(
    program.value,
    given.slice(1).map(({ value }) => value),
  );
  analyzeArguments(row, { words: given, folders }, walk);
  return [...given, { value: last.value, literal: false, names: true }];
}

/** The commands of `find -exec command {} +`, and the words that belong to them. */
export interface Executed {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly inner: ReadonlySet<number>;
}

/**
 * The commands that `find` executes, if all of them only read the files that it finds; adds these.
 * An allow needs no more words then, because each command is evaluated on its own.
 */
export function addExecuted(
  { words, folders }: SimpleCommand,
  { risky }: Arguments,
  walk: Walk,
): Executed | undefined {
  const starts = [...words.keys()].filter((index) => words[index]?.value === '-exec');
  const names = findSearched(words, starts[0]);
  if (starts.length === 0 || names === undefined) return undefined;
  const commands: (readonly ShellWord[])[] = [];
  const readers: PassedNames[] = [];
  const inner = new Set<number>();
  for (const at of starts) {
    const end = words.findIndex((_, index) => index > at && endsCommand(words, index));
    const executed = words.slice(at + 1, Math.max(end - 1, at + 1));
    const reader = words[end - 1]?.value === '{}' ? toReader(executed, names) : undefined;
    if (reader === undefined) return undefined;
    readers.push(reader);
    for (let index = at; index <= end; index += 1) inner.add(index);
    commands.push([...executed, { value: '{}', literal: false, names: true }]);
  }
  if ([...risky].some((index) => !inner.has(index))) return undefined;
  // With `-o` or `,` a later command gets files that failed the tests before the first.
  const later = words.filter((_, index) => index > (starts[0] ?? 0) && !inner.has(index));
  if (splitTests(later.map(({ value }) => value)) === undefined) return undefined;
  for (const reader of readers) addNames(reader, names, folders, walk);
  return { commands, inner };
}

function toReader(executed: readonly ShellWord[], names: FileNames): PassedNames | undefined {
  const [program] = executed;
  if (program === undefined || executed.some(({ value }) => value.includes('{}'))) return undefined;
  return readNames(program.value, executed, names, false);
}

/** `;`, or a `+` right after `{}`. */
function endsCommand(words: readonly ShellWord[], index: number): boolean {
  const value = words[index]?.value;
  return value === ';' || (value === '+' && words[index - 1]?.value === '{}');
}

/** How the command of `xargs` gets the names that were printed, if it only reads the files. */
export function readPiped(
  words: readonly ShellWord[],
  command: readonly ShellWord[],
  names: FileNames,
): PassedNames | undefined {
  const options = readOptions(words.slice(1, words.length - command.length));
  if (options === undefined || options.null0 !== names.separated) return undefined;
  const { replaced, null0 } = options;
  const given = replaced === undefined ? command : withoutLast(command, replaced);
  const [first] = given ?? [];
  if (given === undefined || first === undefined) return undefined;
  return readNames(first.value, given, names, !null0);
}

/** Whether `xargs` only passes what it reads to a program that prints it, such as `echo`. */
export function printsPiped(words: readonly ShellWord[], command: readonly ShellWord[]): boolean {
  const [first] = command;
  const program = first?.value ?? '';
  if (!PRINTERS.has(program) || command.some(({ literal }) => !literal)) return false;
  const options = readOptions(words.slice(1, words.length - command.length));
  // The name of the program is replaced, too.
  const { replaced } = options ?? {};
  if (replaced !== undefined && (replaced === '' || program.includes(replaced))) return false;
  return options !== undefined;
}

interface XargsOptions {
  /** The text that `-I` replaces. */
  readonly replaced?: string;
  /** Names end with NUL. */
  readonly null0: boolean;
}

/**
 * Reads options of `xargs` that only change how names are passed; undefined: there is another one, or
 * a value that looks like an option, such as that of `-P -0`.
 */
function readOptions(options: readonly ShellWord[]): XargsOptions | undefined {
  let replaced: string | undefined;
  let null0 = false;
  for (let index = 0; index < options.length; index += 1) {
    const text = options[index]?.value ?? '';
    const next = options[index + 1]?.value;
    if (/^-[0rt]+$|^--null$/.test(text)) null0 ||= text === '--null' || text.includes('0');
    else if (/^-[nPL]$/.test(text) && /^\d+$/.test(next ?? '')) index += 1;
    else if (text === '-I' && next !== undefined) {
      // Another `-I` would count instead.
      if (replaced !== undefined) return undefined;
      replaced = next;
      index += 1;
    } else if (/^-I./.test(text) && replaced === undefined) replaced = text.slice(2);
    else if (!/^(?:-[nPL]\d+|--no-run-if-empty|--max-(?:args|procs)=\d+)$/.test(text))
      return undefined;
  }
  return replaced === undefined ? { null0 } : { replaced, null0 };
}

/** The command without the replaced word at its end; undefined if it is elsewhere, too. */
function withoutLast(
  command: readonly ShellWord[],
  replaced: string,
): readonly ShellWord[] | undefined {
  const given = command.slice(0, -1);
  const only = command.at(-1)?.value === replaced;
  return only && !given.some(({ value }) => value.includes(replaced)) ? given : undefined;
}
