import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { Act, CommandAct, ShellWord } from '../acts.ts';
import { describeUnknown, describeUnseen } from '../doubts.ts';
import { type Flow, type Folders, LOST, toFlow, unite } from '../folders.ts';
import { toActWords } from '../git/folderOption.ts';
import { addExecuted, addNames, printsPiped, readPiped } from '../names/nameReaders.ts';
import { readsPipe } from '../names/piped.ts';
import { analyzeArguments } from '../programs/arguments.ts';
import { toKnownName, toRow } from '../programs/knownNames.ts';
import { LAUNCHERS, SHELLS } from '../programs/launcherTable.ts';
import type { Arguments, SimpleCommand } from '../simpleCommand.ts';
import { joinScopes, NO_VARIABLES, withValue } from '../variableScope.ts';
import { isInertWord } from '../variables/inert.ts';
import { findReadNames, isSeparator } from '../variables/read.ts';
import { spend, type Walk } from '../walkState.ts';
import { joinWords, toText } from '../words.ts';
import { changesWhatRuns, findDoubtfulAssignment, findPlainExports } from './assignments.ts';
import { findDoubtfulBuiltin } from './builtinTable.ts';
import { enter, enterByOption } from './enter.ts';
import { findDoubtfulGlob } from './globs.ts';
import { runsInput } from './interpreters.ts';
import { findSuspicious } from './suspicious.ts';
import { type Unwrapped, unwrap } from './unwrap.ts';

/** Programs that read what they find in the folder they run in and above. */
const FINDERS: ReadonlySet<string> = new Set(['git', 'rg', 'fd', 'fdfind', 'npm']);

/** Maximum nesting of launchers; deeper lines are denied. */
const NESTING_LIMIT = 20;
/** Maximum number of words after an unknown option in which a command is searched. */
const GUESS_LIMIT = 40;

/**
 * Adds everything that a simple command does: itself, the commands it launches, its files and its
 * hosts.
 */
export function analyzeCommand(command: SimpleCommand, walk: Walk, nesting = 0): Flow {
  const { words, folders } = command;
  const [first] = words;
  if (first === undefined) return toFlow(folders);
  // A launcher's words are analyzed again for each launcher around them.
  if (!spend(walk, 1 + (words.length >> 1))) return toFlow(folders);
  if (nesting > NESTING_LIMIT) {
    walk.tooDeep = true;
    return toFlow(folders);
  }
  const name = toKnownName(toProgramName(first.value, walk.platform));
  const args = words.slice(1).map((word) => word.value);
  analyzeBuiltin(name, command, walk, nesting);
  const unwrapped = isLookUp(name, args) ? undefined : unwrap(name, words);
  const git = name === 'git' ? enterByOption(words, folders, walk) : undefined;
  const row = command.as ?? toRow(name, args);
  const found = command.found ?? analyzeArguments(row, { ...command, ...git }, walk);
  const executed = name === 'find' ? addExecuted(command, found, walk) : undefined;
  const inner = executed?.inner ?? findInner(words, unwrapped);
  const started = readsNames(name, command, unwrapped, walk) ? undefined : unwrapped?.doubt;
  const doubt =
    findDoubt(name, command, inner, found.read) ??
    started ??
    (runsInput(name, words, folders[0]) ? describeUnseen(name, 'code') : undefined) ??
    findGlobDoubt(name, command, unwrapped, found);
  push(walk, {
    kind: 'command',
    words,
    ...toActWords(executed === undefined ? found : { ...found, risky: NO_WORDS }, git),
    ...(inner.size > 0 && { inner }),
    ...(FINDERS.has(name) && { folders: git?.folders ?? folders }),
    ...(found.namesHosts === true && { namesHosts: true }),
    ...(found.mayLaunch === true && !isLauncher(name) && { mayLaunch: true }),
    ...(doubt !== undefined && { doubt }),
  });

  const flow = analyzeStarted(name, command, unwrapped, walk, nesting);
  for (const each of executed?.commands ?? [])
    analyzeCommand({ words: each, folders }, walk, nesting + 1);
  if (executed === undefined) {
    for (const each of found.commands)
      analyzeCommand({ words: each, folders: unite(folders, LOST) }, walk, nesting + 1);
    for (const each of found.guesses) guess(each, walk);
  }
  analyzeShellText(name, command, walk);
  return flow;
}

/** Adds what a launcher starts. Returns where the command leaves the shell. */
function analyzeStarted(
  name: string,
  { words, folders, redirections = [] }: SimpleCommand,
  unwrapped: Unwrapped | undefined,
  walk: Walk,
  nesting: number,
): Flow {
  let flow = MOVERS.has(name) ? enter(words, folders, walk) : toFlow(folders);
  if (unwrapped === undefined) return flow;
  const where = {
    redirections,
    // Launchers start `sh`, or the user's own shell.
    portable: name !== 'bash' || words.some(({ value }) => value === '--posix'),
    folders: unwrapped.elsewhere ? LOST : folders,
  };
  for (const each of unwrapped.commands) {
    const next = analyzeCommand({ ...where, words: each }, walk, nesting + 1);
    if (RUNS_BUILTINS.has(name)) flow = next;
  }
  const expands = name === 'bash' && words[1]?.value === '-c' && walk.expands;
  for (const text of unwrapped.texts) enterText(text, where.folders, walk, where.portable, expands);
  guess(unwrapped.guess, walk);
  if (SHELLS.has(name) || mayReadLines(unwrapped)) enterLines(where, walk);
  return flow;
}

/** Builtins that change the folder, and those that run another builtin. */
const MOVERS: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);
const RUNS_BUILTINS: ReadonlySet<string> = new Set(['builtin', 'command']);

/**
 * The name of a program in the tables: the last part of its path, without `.exe`, and case-folded
 * where the file system ignores case.
 */
export function toProgramName(written: string, platform: NodeJS.Platform): string {
  const base = written.slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1);
  if (platform !== 'win32' && platform !== 'darwin') return base;
  return base.toLowerCase().replace(/\.(exe|cmd|bat|com)$/, '');
}

function push(walk: Walk, act: Act): void {
  walk.acts.push(act);
}

/** What a builtin changes for the rest of the line. */
function analyzeBuiltin(name: string, command: SimpleCommand, walk: Walk, nesting: number): void {
  const { words, assignments = [] } = command;
  const args = words.slice(1).map((word) => word.value);
  if (name === 'set' || SHELLS.has(name)) walk.traces ||= args.some((arg) => TRACES.test(arg));
  // Other launchers look for a program with this name.
  const reads = name === 'read' && nesting === 0 ? findReadNames(words) : undefined;
  if (reads !== undefined && assignments.every(isSeparator)) {
    for (const each of reads) {
      const known = walk.reads?.name === each ? walk.reads.value : 'output';
      walk.scope = withValue(walk.scope, each, mayFail(command) ? undefined : known);
    }
    return;
  }
  const exported = findPlainExports(name, words);
  const { scope } = walk;
  for (const [variable, value] of exported ?? []) {
    walk.scope = withValue(walk.scope, variable, { texts: [value] });
    if (changesWhatRuns(variable, value)) walk.exports.add(joinWords(words));
  }
  if (nesting > 0 || mayFail(command)) walk.scope = joinScopes(scope, walk.scope);
  const doubt = findDoubtfulBuiltin(name, args);
  if (doubt !== undefined && exported === undefined) walk.doubts.add(doubt);
}

/** A redirection that fails leaves the variables as they were. */
function mayFail({ redirections = [] }: SimpleCommand): boolean {
  return redirections.some(({ type }) => type === 'Redirect');
}

/** `set -x`, `set -o xtrace`, `bash -xc`. */
const TRACES = /^-[a-zA-Z]*x[a-zA-Z]*$|^xtrace$/;

/** Whether `xargs` only reads the files whose names it gets from the pipe; adds them. */
function readsNames(
  name: string,
  { words, folders, piped, redirections }: SimpleCommand,
  unwrapped: Unwrapped | undefined,
  walk: Walk,
): boolean {
  const [command] = unwrapped?.commands ?? [];
  if (name !== 'xargs' || command === undefined) return false;
  if (printsPiped(words, command)) return true;
  if (piped === undefined) return false;
  const passes = readsPipe(redirections) ? readPiped(words, command, piped) : undefined;
  if (passes === undefined) return false;
  addNames(passes, piped, folders, walk);
  return true;
}

/** The words of a command that is evaluated on its own. */
function findInner(
  words: readonly ShellWord[],
  unwrapped: Unwrapped | undefined,
): ReadonlySet<number> {
  const [only, ...others] = unwrapped?.commands ?? [];
  if (only === undefined || others.length > 0) return NO_WORDS;
  const start = words.length - only.length;
  return new Set(only.map((_, index) => start + index));
}

const NO_WORDS: ReadonlySet<number> = new Set();

/** What a launcher passes on is evaluated with the command that it starts. */
function findGlobDoubt(
  name: string,
  { words, as = name }: SimpleCommand,
  unwrapped: Unwrapped | undefined,
  found: Arguments,
): string | undefined {
  const [inner] = (Object.hasOwn(LAUNCHERS, name) && unwrapped?.commands) || [];
  const own = inner === undefined ? words : words.slice(0, words.length - inner.length);
  return findDoubtfulGlob(as, own, found);
}

/** Why this command can't be allowed without asking. */
function findDoubt(
  name: string,
  { words, assignments = [] }: SimpleCommand,
  inner: ReadonlySet<number>,
  read: Arguments['read'],
): string | undefined {
  const [first] = words;
  if (first?.literal !== true)
    return `Gatehouse can't tell which program ${toCodeSpan(first?.value ?? '')} runs.`;
  if (first.tilde === true || !/^[\x21-\x7e]+$/.test(first.value))
    return `The name of the program, ${toCodeSpan(first.value)}, contains unusual characters.`;
  for (const [index, word] of words.entries()) {
    if (word.literal || inner.has(index) || isInertWord(name, words, index)) continue;
    return word.why ?? describeUnknown(word, read?.has(index) === true);
  }
  for (const word of words) {
    const suspicious = findSuspicious(word.value);
    if (suspicious !== undefined) return suspicious;
  }
  const separates = name === 'read' && assignments.every(isSeparator);
  return separates ? undefined : findDoubtfulAssignment(assignments, first.value);
}

/** Whether a table row describes how it runs another command. */
function isLauncher(name: string): boolean {
  return Object.hasOwn(LAUNCHERS, name) || SHELLS.has(name);
}

/** Whether the command only looks up a program: `command -v git`. */
function isLookUp(name: string, args: readonly string[]): boolean {
  return name === 'command' && /^-p?[vV]p?$/.test(args[0] ?? '');
}

/** Builtins whose words are or contain commands that run later. */
const KEEPERS: ReadonlySet<string> = new Set(['trap', 'mapfile', 'readarray', 'complete', 'alias']);

/** Analyzes the text of builtins that run a line now or later. */
function analyzeShellText(name: string, { words, folders }: SimpleCommand, walk: Walk): void {
  if (name === 'eval') {
    const text = words.slice(1).map(toText).join(' ');
    enterText(text.replace(/^-- /, ''), folders, walk);
  }
  if (KEEPERS.has(name)) for (const word of words) guess([word], walk);
}

/**
 * Whether the command may start a shell that reads lines from its input, as `ssh host` and `su` do.
 */
function mayReadLines({ commands, texts, guess: words, doubt }: Unwrapped): boolean {
  return doubt !== undefined || commands.length + texts.length + words.length === 0;
}

/** Analyzes the lines that a shell reads from a here-document or here-string. */
function enterLines(
  {
    redirections,
    folders,
    portable,
  }: Required<Pick<SimpleCommand, 'redirections' | 'folders'>> & { readonly portable: boolean },
  walk: Walk,
): void {
  for (const redirection of redirections) {
    if (redirection.type === 'HereDoc') enterText(redirection.body.text, folders, walk, portable);
    if (redirection.type === 'HereString') {
      enterText(redirection.target?.value ?? '', folders, walk, portable);
    }
  }
}

function enterText(
  text: string,
  folders: Folders,
  walk: Walk,
  portable = walk.portable,
  expands = false,
): void {
  if (walk.nesting === NESTING_LIMIT) {
    walk.tooDeep = true;
    return;
  }
  const outer = { portable: walk.portable, expands: walk.expands };
  walk.nesting += 1;
  Object.assign(walk, { portable, expands });
  walk.walkText(text, folders, walk);
  Object.assign(walk, outer);
  walk.nesting -= 1;
}

/**
 * Any of these words, or its text, may start a command. Ask and deny rules apply to it, allow rules
 * don't.
 */
export function guess(words: readonly ShellWord[], walk: Walk): void {
  if (words.length === 0) return;
  const inner: Walk = {
    ...walk,
    acts: [],
    doubts: new Set(),
    moves: [],
    readings: [],
    scope: NO_VARIABLES,
  };
  words.slice(0, GUESS_LIMIT).forEach((word, index) => {
    if (!spend(inner, 1 + words.length / 8)) return;
    if (/^-(.|-[\w-]*)?$/.test(word.value)) return;
    inner.acts.push({ kind: 'command', words: words.slice(index), risky: new Set() });
    const text = toText(word)
      .replace(/^--?[\w-]+=|^-[a-zA-Z]/, '')
      .replace(/^[\w.]+=!?/, '')
      .replace(/^\s*[!|]/, '');
    if (/\s/.test(text) || text !== word.value) enterText(text, LOST, inner);
  });
  walk.tooDeep ||= inner.tooDeep;
  walk.compound ||= inner.compound;
  for (const act of inner.acts) {
    if (act.kind === 'command') push(walk, { ...act, tightensOnly: true } satisfies CommandAct);
  }
}
