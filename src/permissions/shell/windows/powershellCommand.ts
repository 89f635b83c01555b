import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { ShellWord } from '../acts.ts';
import { analyzeCommand, guess, toProgramName } from '../bash/command.ts';
import { type Folders, LOST, unite } from '../folders.ts';
import { analyzeArguments } from '../programs/arguments.ts';
import { SHELLS } from '../programs/launcherTable.ts';
import { PROGRAMS } from '../programs/tables/programTable.ts';
import type { Walk } from '../walkState.ts';
import { literalWord } from '../words.ts';
import { analyzeCmdlet } from './cmdlets.ts';
import { CMDLETS, type Cmdlet, EMITTERS } from './cmdletTable.ts';
import { CHANGING_COMMANDS, MOVERS, toCanonical } from './powershellTable.ts';

/**
 * The state of visiting a line. A command that changes the session's folder leaves it unknown for
 * the rest.
 */
export interface Visit {
  readonly walk: Walk;
  folders: Folders;
}

/** Adds everything that one command does. Returns the text that it runs, if any. */
export function enterCommand(words: readonly ShellWord[], state: Visit, loose = false): string {
  const { walk, folders } = state;
  const name = toCanonical(words[0]?.value ?? '');
  const changes = CHANGING_COMMANDS.has(name);
  if (changes) {
    walk.doubts.add(`${toCodeSpan(name)} runs its input or changes the session.`);
    guess(words, walk);
  }
  if (MOVERS.has(name)) state.folders = unite(folders, LOST);
  analyze(name, words, loose, { walk, folders });
  const listed = words.flatMap(toListed);
  if (listed.length > words.length) analyze(name, listed, true, { walk, folders });
  return changes ? toLine(name, words) : '';
}

/** Splits a line that can't be parsed roughly, so that a deny still matches every command. */
export function enterRoughly(line: string, state: Visit): void {
  for (const part of line.replaceAll('`', '').split(/[&|\n\r(){};]+/)) {
    const words = part.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
    const plain = words.flatMap((word) => splitList(unquoted(word)));
    const named = plain.filter(({ value }) => value !== '');
    enterCommand(named, state, true);
    for (const [, target = ''] of part.matchAll(/>\s*([^\s>]+)/g)) {
      const to = { access: 'fs.write', target: unquoted(target), role: 'redirection' } as const;
      state.walk.acts.push({ kind: 'file', folders: state.folders, ...to });
    }
  }
}

function unquoted(word: string): string {
  return word.replace(/["']/g, '');
}

/**
 * Analyzes a cmdlet by its parameters. A name that some PowerShell versions resolve to a program is
 * also analyzed by that program's table row.
 */
function analyze(
  name: string,
  words: readonly ShellWord[],
  loose: boolean,
  { walk, folders }: Visit,
): void {
  const cmdlet = CMDLETS.get(isLink(name, words) ? 'new-link' : name);
  const own = cmdlet && analyzeCmdlet(cmdlet, words, folders, walk, loose);
  const written = toProgramName(words[0]?.value ?? '', 'win32');
  if (own === undefined || Object.hasOwn(PROGRAMS, written)) addPassingDoubt(words, walk);
  if (own === undefined || written === name) {
    return void analyzeCommand({ words, folders, ...(own && { found: own }) }, walk);
  }
  if (!Object.hasOwn(PROGRAMS, written)) {
    return void analyzeCommand({ words, folders, found: own }, walk);
  }
  const program = analyzeArguments(written, { words, folders }, walk);
  const risky = new Set([...own.risky, ...program.risky]);
  analyzeCommand({ words, folders, found: { ...program, risky } }, walk);
}

/**
 * Windows PowerShell, and PowerShell before 7.3, drop an empty word, and don't escape quotes or a backslash at the end:
 * `git diff 'a" --output="b'` is three words for git. What a shell such as bash would be given has a grammar of its own,
 * and asks as in cmd.exe.
 */
function addPassingDoubt(words: readonly ShellWord[], walk: Walk): void {
  for (const [index, { value }] of words.entries()) {
    if (/"|^$|\s.*\\$/s.test(value)) {
      walk.doubts.add('PowerShell may pass an empty word, a quote or a last backslash otherwise.');
    }
    if (!SHELLS.has(toProgramName(value, 'win32'))) continue;
    if (words.slice(index + 1).some((option) => /^-[a-z]*c[a-z]*$/i.test(option.value))) {
      walk.doubts.add(`${toCodeSpan(value)} reads its text by another grammar than PowerShell.`);
    }
  }
}

function isLink(name: string, words: readonly ShellWord[]): boolean {
  return name === 'new-item' && words.some(({ value }) => /^(\w*link|junction)$/i.test(value));
}

/** The line that a command runs from its words: a program and its arguments, or code. */
function toLine(name: string, words: readonly ShellWord[]): string {
  if (name !== 'invoke-expression' && name !== 'start-process') return '';
  const given = words.slice(1).filter(({ value }) => !/^-[a-z]+$/i.test(value));
  return given.map(({ value }) => value.replace(/^-\w+:/, '')).join(' ');
}

/** Adds the files that the preceding pipeline elements find or name. */
export function addHanded(
  cmdlet: Cmdlet,
  source: readonly ShellWord[],
  { walk, folders }: Visit,
): void {
  const found = EMITTERS.has(toCanonical(source[0]?.value ?? ''));
  const named = source.slice(1).filter(({ value }) => !/^-/.test(value));
  const targets = named.length === 0 && found ? ['.'] : named.map(({ value }) => value);
  const words = [literalWord('handed'), ...targets.map(literalWord)];
  const inner: Walk = { ...walk, acts: [] };
  const [own] = cmdlet.positions.filter((each) => /path$/.test(each.name));
  if (own === undefined) return;
  analyzeCmdlet({ ...cmdlet, positions: [own] }, words, folders, inner, true);
  for (const act of inner.acts)
    walk.acts.push(act.kind === 'file' && found && !cmdlet.lists ? { sweep: 'all', ...act } : act);
}

/**
 * `a,b` and `@('a')` are lists, which aren't literal. Their elements are also analyzed one by one.
 */
function toListed(word: ShellWord): readonly ShellWord[] {
  return word.literal ? [word] : splitList(word.value);
}

function splitList(text: string): readonly ShellWord[] {
  return text.split(/[\s,@()]+/).map(literalWord);
}
