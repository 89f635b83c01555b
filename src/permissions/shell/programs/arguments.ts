import type { Act, FileAct, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import { findLateOperands } from '../optionEnd.ts';
import type { Arguments, SimpleCommand } from '../simpleCommand.ts';
import type { Walk } from '../walkState.ts';
import { type Addresses, findAddresses, toOperandPaths, toPaths } from '../wordPaths.ts';
import { findPrintedGlobs } from '../words.ts';
import { findResponses, markScript } from './codeOperands.ts';
import { addDerivedNames, addDerivedReads, takesNames } from './derivedNames.ts';
import {
  addDeleted,
  addFilters,
  addIncluded,
  type Below,
  deletesThere,
  findArrival,
  findBelow,
  findIncluded,
  GREPS,
  maySearchHere,
} from './filters.ts';
import { analyzeGit } from './git.ts';
import { mayRunInput } from './knownNames.ts';
import { findSpelled, findStarted } from './launcherOptions.ts';
import { findFiles, findInner, type Options, parseOptions, readOldOptions } from './options.ts';
import { addHosts } from './remotes/namedHosts.ts';
import { withRemotes } from './remotes/programRemotes.ts';
import { passRoutes } from './remotes/routes.ts';
import { addAttached, addUnlisted } from './spellings/attachedFiles.ts';
import { toSet } from './spellings/optionNames.ts';
import { type SpelledApart, spellApart } from './spellings/spelledApart.ts';
import type { Program } from './tables/program.ts';
import { PROGRAMS } from './tables/programTable.ts';
import { analyzeUnknown } from './unknownPrograms.ts';
import { addUnnamed, hasUnnamed, unpacksHere } from './unnamed.ts';

/**
 * Adds the files and hosts that the arguments name. Returns, among others, which words an allow
 * must contain literally.
 */
export function analyzeArguments(name: string, command: SimpleCommand, walk: Walk): Arguments {
  const start = walk.acts.length;
  const own = analyzeOwn(name, command, walk);
  passRoutes(name, command.words, walk.acts, start);
  const more = [
    ...findResponses(name, command.words),
    ...findSpelled(name, command.words),
    ...findModule(name, command, walk),
  ];
  const found = more.length === 0 ? own : { ...own, risky: new Set([...own.risky, ...more]) };
  if (!mayRunInput(name, command.words)) return found;
  return { ...found, risky: new Set([0, ...found.risky]) };
}

/** The words of `python3 -m pytest …` that an allow of pytest must contain. */
function findModule(name: string, command: SimpleCommand, walk: Walk): readonly number[] {
  const { words } = command;
  const at = words.findIndex(({ value }) => /^-[a-zA-Z]*m/.test(value));
  const plain = words.slice(1, at).every(({ value }) => value.startsWith('-'));
  if (!/^(?:python|pypy)[23]?$/.test(name) || at < 0 || !plain) return [];
  const own = words[at]?.value.replace(/^-[a-zA-Z]*?m/, '') ?? '';
  const start = own === '' ? at + 1 : at;
  const module = own === '' ? (words[start]?.value ?? '') : own;
  if (!Object.hasOwn(PROGRAMS, module)) return [];
  const given = { ...command, words: words.slice(start) };
  const { risky, remotes = [] } = analyzeArguments(module, given, walk);
  return [...risky, ...remotes].map((index) => index + start);
}

function analyzeOwn(name: string, command: SimpleCommand, walk: Walk): Arguments {
  if (name === 'git') return analyzeGit(command, walk);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const end = findStarted(name, command.words);
  return withRemotes(name, program, command, analyzeWords(name, program, end, command, walk), end);
}

function analyzeWords(
  name: string,
  program: Program | undefined,
  end: number,
  command: SimpleCommand,
  walk: Walk,
): Arguments {
  const { words } = command;
  const printed = findPrintedGlobs(name, words);
  for (const index of printed)
    addFile(words[index]?.value ?? '', 'fs.read', 'operand', command.folders, undefined, walk);
  if (program === undefined) return analyzeUnknown(name, command, end, walk);
  const start = walk.acts.length;
  const found = analyzeKnown(name, program, command, printed, walk);
  const apart = spellApart(program, words);
  return apart === undefined ? found : addApart(name, program, command, apart, found, start, walk);
}

/** Reads the command with its options spelled apart, too. `start`: where its acts begin. */
function addApart(
  name: string,
  program: Program,
  command: SimpleCommand,
  { words, origins }: SpelledApart,
  found: Arguments,
  start: number,
  walk: Walk,
): Arguments {
  const inner: Walk = { ...walk, acts: [] };
  const { risky, guesses } = analyzeKnown(name, program, { ...command, words }, [], inner);
  const known = new Set(walk.acts.slice(start).map(toKey));
  for (const act of inner.acts) {
    // Letters behind an option without a value are no hosts, and the others are known already.
    if (act.kind !== 'file' || known.has(toKey(act))) continue;
    walk.acts.push(act.command === undefined ? act : { ...act, command: command.words });
  }
  const written = [...risky].flatMap((index) => origins[index] ?? []);
  return {
    ...found,
    risky: new Set([...found.risky, ...written]),
    guesses: [...found.guesses, ...guesses],
  };
}

function toKey(act: Act): string {
  return JSON.stringify(act.kind === 'file' ? { ...act, command: undefined } : act);
}

function analyzeKnown(
  name: string,
  program: Program,
  command: SimpleCommand,
  printed: readonly number[],
  walk: Walk,
): Arguments {
  const { words } = command;
  const options = parseOptions(program, words, 1);
  markOperands(program, words, options);
  if (name === 'tar' || name === 'bsdtar') readOldOptions(words, options);
  addFiles(name, program, command, options, walk);
  addUnnamed(name, words, options.operands, command.folders, walk);
  addDerivedNames(name, words, options.operands, command.folders, walk);
  addDerivedReads(name, words, options, command.folders, walk);
  const unnamed = hasUnnamed(name) && unpacksHere(name, words, command.folders, walk);
  if (unnamed || takesNames(name, words)) {
    for (const index of words.keys()) options.risky.add(index);
  }
  const hosts = addHosts(program, words, options, walk);
  const readsOnly = program.operands === 'reads' && !options.edits;
  const read = readsOnly ? findFiles(program, words, options) : printed;
  const inner = SEARCHES.has(name) ? findInner(words, options) : NO_WORDS;
  return {
    risky: options.risky,
    hosts,
    ...((readsOnly || printed.length > 0) && { read: new Set(read) }),
    // A program with known file or text operands and without hosts doesn't use the network.
    namesHosts: program.hosts !== undefined || program.operands === undefined,
    ...(program.starts === true && { mayLaunch: true }),
    commands: inner,
    guesses:
      inner.length > 0 ? NO_WORDS : options.runs.map((index) => words.slice(index, index + 40)),
  };
}

const NO_WORDS: readonly (readonly ShellWord[])[] = [];

/** Programs whose options start a command with an end marker of its own. */
const SEARCHES: ReadonlySet<string> = new Set(['find', 'fd', 'fdfind']);

/** Marks the operands that contain code or are written to, whatever an allow's wildcard covers. */
function markOperands(program: Program, words: readonly ShellWord[], options: Options): void {
  const { operands, risky } = options;
  if (program.spelledFrom !== undefined) {
    for (const index of operands.slice(program.spelledFrom)) risky.add(index);
  }
  if (program.codeWords !== undefined && startsCode(program.codeWords, words, operands)) {
    for (const index of words.keys()) risky.add(index);
  }
  if (program.script !== undefined) markScript(program.script, words, options);
}

function startsCode(
  codeWords: string,
  words: readonly ShellWord[],
  [first = -1, second = -1]: readonly number[],
): boolean {
  const known = toSet(codeWords);
  const one = words[first]?.value ?? '';
  return known.has(one) || known.has(`${one}+${words[second]?.value}`);
}

function addFiles(
  name: string,
  program: Program,
  command: SimpleCommand,
  options: Options,
  walk: Walk,
): void {
  const { words, folders } = command;
  for (const { path, access } of options.files) {
    const word = { value: path, literal: true };
    for (const target of toPaths(word, readAddresses(program, word, folders, walk.acts)))
      addFile(target, access, 'operand', folders, undefined, walk);
  }
  if (program.operands === 'text') {
    if (program.hosts !== undefined) addUnlisted(words, options, folders, walk);
    return;
  }
  const role = program.operands === undefined ? 'named' : 'operand';
  const accesses = ACCESSES[options.edits ? 'copies' : (program.operands ?? 'unknown')];
  const operands = findFiles(program, words, options);
  const below = findBelow(name, program, words, options);
  const own = program.archives === true ? { ...below, archive: true as const } : below;
  const sweeps = below?.sweep !== undefined;
  const included = sweeps && GREPS.test(name) ? findIncluded(words) : undefined;
  const arrival = sweeps ? findArrival(name, words, operands) : undefined;
  const late = findLateOperands(name, program.operands, words, options.operands, walk.platform);
  for (const index of [...operands, ...late]) {
    const word = words[index];
    for (const target of toOperandPaths(word, readAddresses(program, word, folders, walk.acts))) {
      if (included !== undefined) addIncluded(target, included, folders, below, walk);
      if (included?.certain === true) continue;
      if (index === arrival) addArrival(target, folders, words, below, walk);
      else for (const access of accesses) addFile(target, access, role, folders, own, walk);
    }
  }
  if (sweeps) {
    const named = operands.flatMap((index) => words[index]?.value ?? []);
    const targets = maySearchHere(name, program, words, options.operands) ? ['.', ...named] : named;
    addFilters(name, words, targets, folders, below, walk);
  }
  if (options.edits && name === 'find') addDeleted(words, operands, folders, walk);
  addAttached(program, words, options, folders, walk);
  // A search without a folder operand searches the current folder.
  const looksAround = program.here === true && folders.join() !== walk.start.join();
  const searchesHere = sweeps && maySearchHere(name, program, words, options.operands);
  const alone = operands.length === 0 && (below !== undefined || looksAround);
  if (!alone && !searchesHere) return;
  if (included !== undefined) addIncluded('.', included, folders, below, walk);
  if (included?.certain !== true) addFile('.', 'fs.read', role, folders, below, walk);
}

/** A program with files and without hosts takes no addresses. */
function readAddresses(
  { hosts, operands }: Program,
  word: ShellWord | undefined,
  folders: Folders,
  earlier: readonly Act[],
): Addresses {
  const takesNone = hosts === undefined && operands !== undefined;
  return takesNone || word === undefined ? 'files' : findAddresses(word, folders, earlier);
}

const ACCESSES: Readonly<
  Record<'reads' | 'writes' | 'copies' | 'unknown', readonly FileAct['access'][]>
> = {
  reads: ['fs.read'],
  writes: ['fs.write'],
  copies: ['fs.read', 'fs.write'],
  unknown: ['fs.write'],
};

/** Files of unknown names arrive below the folder; some programs also remove what is there. */
function addArrival(
  target: string,
  folders: Folders,
  words: readonly ShellWord[],
  below: Below | undefined,
  walk: Walk,
): void {
  addFile(target, 'fs.read', 'operand', folders, undefined, walk);
  const { follows: _follows, ...there } = below ?? {};
  addFile(target, 'fs.write', 'operand', folders, { ...there, arrives: true }, walk);
  if (deletesThere(words)) addFile(target, 'fs.write', 'operand', folders, there, walk);
}

function addFile(
  target: string,
  access: FileAct['access'],
  role: FileAct['role'],
  folders: Folders,
  below: Below | undefined,
  walk: Walk,
): void {
  walk.acts.push({ kind: 'file', access, target, folders, role, ...below });
}
