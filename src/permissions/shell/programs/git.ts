import { isExclusion, parseRevisionPath, printsPatch } from '../../patterns/revision.ts';
import type { FileAct, ShellWord } from '../acts.ts';
import { mayNameFile } from '../git/fileOptions.ts';
import { addGitMoves } from '../git/gitMoves.ts';
import { addInputs } from '../git/inputs.ts';
import { marksPattern, readsPathsAnew } from '../git/pathspecs.ts';
import { findOutsideReferences } from '../git/references.ts';
import { markHead, omitRevision } from '../git/revisionWords.ts';
import { addWritten } from '../git/written.ts';
import { findRemote } from '../hosts.ts';
import { endsOptions } from '../optionEnd.ts';
import type { Arguments, SimpleCommand } from '../simpleCommand.ts';
import type { Walk } from '../walkState.ts';
import { toOperandPaths, toPaths } from '../wordPaths.ts';
import { joinWords } from '../words.ts';
import { findExclusions } from './exclusions.ts';
import { addGitSweeps, addWholeTree, toValues } from './gitSweeps.ts';
import {
  GIT_GLOBAL_SAFE,
  GIT_GLOBAL_VALUED,
  GIT_HARMLESS_FORMS,
  GIT_READERS,
  GIT_REMOTE,
  GIT_RISKY_FORMS,
  GIT_RISKY_LONG,
  GIT_RISKY_SHORT,
  GIT_RISKY_SUBCOMMANDS,
  GIT_SUBCOMMANDS,
  GIT_TAKES_NAMES,
  GIT_TWO_WORDS,
  GIT_WRITERS,
} from './gitTable.ts';
import { findGitRemotes } from './remotes/gitRemotes.ts';

/**
 * Git is many programs: it has global options, options of each subcommand, and aliases that run
 * anything.
 */
export function analyzeGit(command: SimpleCommand, walk: Walk): Arguments {
  const { words } = command;
  const risky = new Set<number>();
  const runs: number[] = [];
  const at = skipGlobal(words, risky, runs);
  const sub = words[at]?.value ?? '';
  if (!GIT_SUBCOMMANDS.has(sub)) markFrom(at, words, risky);
  if (GIT_RISKY_SUBCOMMANDS.has(sub) && !isHarmless(words.slice(at))) {
    markFrom(at, words, risky);
    runs.push(at);
  }
  markOptions(sub, words, at, risky, runs);
  const outside = findOutsideReferences(sub, words.slice(at + 1));
  if (takesNames(sub, words.slice(at + 1)) || outside.length > 0) markFrom(at, words, risky);
  if (sub === 'grep' && hasOtherMark(words, at)) markFrom(at, words, risky);
  const before = walk.acts.length;
  addFiles(sub, words, at, command.folders, walk);
  addWritten(sub, words.slice(at + 1), command.folders, walk);
  addInputs(sub, words.slice(at + 1), command.folders, walk);
  addGitSweeps(sub, words.slice(at + 1), words, command.folders, walk);
  if (readsPathsAnew(words.slice(1, at))) addWholeTree(sub, command.folders, walk);
  addGitMoves(sub, at, words, command.folders, walk);
  markHead(walk.acts, before, sub, words);
  // Which files they write is in no word, so protected ones may be among them.
  const action = words[at + 1]?.value ?? '';
  const brings = BRINGS.exec(`${sub} ${action}`)?.[0].trim().split(' ') ?? [];
  for (const offset of brings.keys()) risky.add(at + offset);
  if (sub === 'apply' && !isHarmless(words.slice(at))) markFrom(0, words, risky);
  const remotes = findGitRemotes(sub, words, at + 1);
  for (const index of remotes.paths) risky.add(index);
  const hosts = new Set<number>();
  const namesHosts = GIT_REMOTE.has(sub);
  const operands = namesHosts ? words.slice(at) : [];
  for (const [offset, word] of operands.entries()) {
    const url = findRemote(withoutName(word));
    if (url === undefined) continue;
    hosts.add(at + offset);
    walk.acts.push({ kind: 'host', url, role: 'operand' });
  }
  const guesses = toGuesses(words, runs);
  return { risky, commands: [], guesses, hosts, remotes: new Set(remotes.hosts), namesHosts };
}

const BRINGS = /^(?:clone |worktree add$|submodule (?:add|update)$)/;

function isHarmless(words: readonly ShellWord[]): boolean {
  const form = joinWords(words);
  return GIT_HARMLESS_FORMS.some((each) => each.test(form));
}

/** Skips the global options. Returns the index of the subcommand. */
function skipGlobal(words: readonly ShellWord[], risky: Set<number>, runs: number[]): number {
  for (let index = 1; ; index += 1) {
    const text = words[index]?.value ?? '';
    if (!text.startsWith('-')) return index;
    if (GIT_GLOBAL_SAFE.has(text)) continue;
    risky.add(index);
    if (/^-c|^--config-env|^--exec-path/.test(text)) runs.push(index);
    if (GIT_GLOBAL_VALUED.has(text)) {
      index += 1;
      risky.add(index);
    }
  }
}

function markFrom(from: number, words: readonly ShellWord[], risky: Set<number>): void {
  for (const [offset] of words.slice(from).entries()) risky.add(from + offset);
}

function markOptions(
  sub: string,
  words: readonly ShellWord[],
  at: number,
  risky: Set<number>,
  runs: number[],
): void {
  const letters = Object.hasOwn(GIT_RISKY_SHORT, sub) ? (GIT_RISKY_SHORT[sub] ?? '') : '';
  const forms = Object.hasOwn(GIT_RISKY_FORMS, sub) ? GIT_RISKY_FORMS[sub] : undefined;
  let ended = false;
  for (const [offset, { value: text }] of words.slice(at).entries()) {
    ended ||= endsOptions(words, at + offset);
    if (ended && !GIT_REMOTE.has(sub)) return;
    // Git takes any beginning that only one option has: `ls-remote --u=x` is `--upload-pack=x`.
    const long = /^--(?:no-)?([a-z-]+)/.exec(text)?.[1];
    const short = /^-([a-zA-Z]+)/.exec(text)?.[1] ?? '';
    // `ext::sh -c …` and other transports with `::` run commands.
    const transport = /^[a-z0-9-]+::/i.test(text);
    const found =
      transport ||
      // Checks signatures with a program that the configuration names.
      (SIGNATURE.test(text) && [text, words[at + offset - 1]?.value ?? ''].some(isLong)) ||
      SORTS_BY_SIGNATURE.test(text) ||
      forms?.test(text) === true ||
      (long !== undefined &&
        !text.startsWith('--no-') &&
        !(sub === 'rev-parse' && long === 'verify') &&
        GIT_RISKY_LONG.some((name) => name.startsWith(long))) ||
      (long === undefined && [...letters].some((letter) => short.includes(letter)));
    if (ended ? !transport : !found) continue;
    const index = at + offset;
    risky.add(index);
    // Its value may be the next word.
    if (!text.includes('=')) risky.add(index + 1);
    runs.push(index);
  }
}

/** Options with a format may be abbreviated, and `--group` takes one, too. */
const isLong = (text: string) => text.startsWith('--');
const SIGNATURE = /%(?:[-+ ]?G|\(\*?signature)/;
const SORTS_BY_SIGNATURE = /^(?:--sort=)?-?(?:v(?:ersion)?:)?\*?signature(?::|$)/;

function addFiles(
  sub: string,
  words: readonly ShellWord[],
  at: number,
  folders: readonly string[],
  walk: Walk,
): void {
  const action = GIT_TWO_WORDS.has(sub) ? (words[at + 1]?.value ?? '') : '';
  const looks = action === 'list' || action === 'show';
  const reads = GIT_READERS.has(sub);
  const writes = GIT_WRITERS.has(sub) && !looks;
  const role: FileAct['role'] = reads || writes ? 'operand' : 'named';
  const base = { kind: 'file', folders, role } as const;
  const first = at + (/^[a-z-]+$/.test(action) ? 2 : 1);
  const end = words.findIndex(({ value }, index) => index >= first && value === '--');
  for (const [offset, word] of words.slice(first).entries()) {
    const operand = end >= 0 && first + offset > end;
    if (!operand && !mayNameFile(sub, word.value)) continue;
    // `blame -L /^main/,+9` refers to lines, in a form that no file name has.
    if (words[first + offset - 1]?.value === '-L' && LINES.test(word.value)) continue;
    // An address is no path of a revision.
    if (GIT_REMOTE.has(sub) && /^(?:https?|ssh|git):\/\//i.test(word.value)) continue;
    // What is left out isn't touched.
    if (isExclusion(word.value)) continue;
    const toTargets = operand ? toOperandPaths : toPaths;
    const named = toTargets(word, GIT_REMOTE.has(sub) ? 'taken' : 'files');
    for (const target of omitRevision(word, named)) {
      walk.acts.push({ ...base, access: 'fs.read', target });
      if (writes) walk.acts.push({ ...base, access: 'fs.write', target });
    }
    const inside = word.literal && !operand ? parseRevisionPath(word.value) : undefined;
    if (inside !== undefined && inside.path !== '')
      walk.acts.push({ ...base, access: 'fs.read', target: inside.path, top: true });
  }
  // Another folder may be another repository, with a configuration that runs programs.
  if (folders.join() !== walk.start.join())
    walk.acts.push({ ...base, role: 'operand', access: 'fs.read', target: '.' });
  if (sub === 'grep') addSearch(words, at, folders, walk);
  if (sub === 'diff') addComparison(words, at, folders, walk);
}

/** Whether what follows `--` are not the files of `git grep`: `git grep -e x -e -- HEAD`, `git grep -- x`. */
function hasOtherMark(words: readonly ShellWord[], at: number): boolean {
  const mark = words.findIndex(({ value }) => value === '--');
  if (mark < 0) return false;
  return !endsOptions(words, mark) || marksPattern(words.slice(at + 1), mark - at - 1);
}

/** A search covers all tracked files; outside the index it covers hidden files, too. */
function addSearch(
  words: readonly ShellWord[],
  at: number,
  folders: readonly string[],
  walk: Walk,
): void {
  const all = words.some(({ value }) => /^--(no-ind|u|no-exc)/.test(value));
  const without = findExclusions(words);
  const revisions = findRevisions(words.slice(at + 1));
  const past = revisions === undefined || revisions.length > 0;
  const given = words.slice(at + 1).map(({ value }) => value);
  const leaves = given.filter((value) => /^(?:\.\.(?:\/|$)|\/)/.test(value));
  // A revision holds the whole work tree, and paths may lead there.
  const top = past || leaves.length > 0 || given.some((value) => /^:(?:\/|\(.*top)/.test(value));
  const act = { kind: 'file', access: 'fs.read', folders, role: 'operand' } as const;
  const below = { command: words, ...(without.length > 0 && { without }) };
  const here = { target: '.', ...(top && { top }) };
  const sweep = all ? 'all' : 'visible';
  const unlessThere = !all && revisions !== undefined ? { unlessThere: revisions } : {};
  if (all || past)
    walk.acts.push({ ...act, ...below, ...here, sweep, ...(past && { past, ...unlessThere }) });
  for (const target of all ? leaves : []) walk.acts.push({ ...act, ...below, sweep, target });
  // Tracked files may be hidden.
  for (const target of all ? [] : listSearched(given))
    walk.acts.push({
      ...act,
      ...below,
      ...(target === '.' ? here : { target }),
      sweep,
      includes: 'tracked',
    });
}

/** The paths behind `--`, if they are no patterns. */
function listSearched(given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  const specs = end < 0 ? [] : given.slice(end + 1).filter((spec) => !isExclusion(spec));
  return specs.length === 0 || specs.some((spec) => /^:|[*?[\\]/.test(spec)) ? ['.'] : specs;
}

/**
 * The words of `git grep` that may be a commit to search instead of the files that lie there.
 * Undefined: they can't be told, or it searches the index.
 */
function findRevisions(given: readonly ShellWord[]): readonly string[] | undefined {
  const end = given.findIndex(({ value }) => value === '--');
  const before = end < 0 ? given : given.slice(0, end);
  if (before.some(({ value }) => /^--ca/.test(value))) return undefined;
  const operands = before.filter(({ value, literal }, index) => {
    if (!literal) return true;
    const isValue = /^-[a-zA-Z]*[efmABC]$/.test(before[index - 1]?.value ?? '');
    return !isValue && !/^-|^:[!^(]/.test(value);
  });
  const named = before.some(({ value }) => /^-[a-zA-Z]*[ef]/.test(value));
  // Revisions contain neither of these.
  const found = operands
    .slice(named ? 0 : 1)
    .filter(({ value }) => !/^\.{1,2}(?:\/|$)|\/$|[*?[]/.test(value));
  return found.every(({ literal }) => literal) ? found.map(({ value }) => value) : undefined;
}

/**
 * `git diff --no-index a b` compares two folders, whatever they are, and so does `git diff a b` outside
 * a repository.
 */
function addComparison(
  words: readonly ShellWord[],
  at: number,
  folders: readonly string[],
  walk: Walk,
): void {
  const given = words.slice(at + 1);
  const always = words.some(({ value }) => /^--no-ind/.test(value));
  const operands = given.filter(({ value }) => value !== '--' && !/^-./.test(value));
  const unlessIn = operands.map(({ value }) => value);
  // Outside a repository git refuses one path.
  const isPair = operands.length > 1 || operands.some(({ literal }) => !literal);
  const prints = printsPatch('diff', toValues(given)) !== false;
  if (!always && !(isPair && prints)) return;
  for (const { value: target, literal } of operands) {
    if (!literal) continue;
    const act = { kind: 'file', access: 'fs.read', target, folders, role: 'operand' } as const;
    walk.acts.push({ ...act, sweep: 'all', ...(!always && { unlessIn }) });
  }
}

function takesNames(sub: string, given: readonly ShellWord[]): boolean {
  const takes = Object.hasOwn(GIT_TAKES_NAMES, sub) ? GIT_TAKES_NAMES[sub] : undefined;
  return takes !== undefined && given.some(({ value }) => takes.test(value));
}

const LINES = /^(?:\d+|\/.+\/)?,[+-]?\d*$/;

/** The value of `--repo=host:path`. */
function withoutName(word: ShellWord): ShellWord {
  return { ...word, value: word.value.replace(/^--[\w-]+=/, '') };
}

function toGuesses(
  words: readonly ShellWord[],
  runs: readonly number[],
): readonly (readonly ShellWord[])[] {
  return runs.map((index) => words.slice(index, index + 40));
}
