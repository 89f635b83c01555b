import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { ShellWord } from '../acts.ts';
import { describeUnseen, describeVariable } from '../doubts.ts';
import { GIT_SUBCOMMANDS } from '../programs/gitTable.ts';
import { findOtherText, skipOptions } from '../programs/launcherOptions.ts';
import { LAUNCHERS, type Launcher, SHELLS } from '../programs/launcherTable.ts';
import { toSet } from '../programs/spellings/optionNames.ts';
import {
  ABBREVIATED,
  PLAIN_SUBCOMMANDS,
  SUBCOMMAND_LAUNCHERS,
} from '../programs/tables/subcommandLaunchers.ts';
import { literalWord } from '../words.ts';
import { changesWhatRuns } from './assignments.ts';

/** The commands that a launcher starts. */
export interface Unwrapped {
  /** Commands, as words. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Texts that a shell would run. */
  readonly texts: readonly string[];
  /** Words among which the command may start anywhere, because an option is unknown. */
  readonly guess: readonly ShellWord[];
  readonly doubt?: string;
  readonly elsewhere: boolean;
}

const NOTHING: Unwrapped = { commands: [], texts: [], guess: [], elsewhere: false };

/** The commands that the program starts; undefined if it isn't a known launcher. */
export function unwrap(name: string, words: readonly ShellWord[]): Unwrapped | undefined {
  const sub = /^git-(?!(?:lfs|flow)$)([a-z-]+)$/.exec(name)?.[1];
  // `/usr/lib/git-core/git-push` is `git push`.
  if (sub !== undefined && GIT_SUBCOMMANDS.has(sub))
    return { ...NOTHING, commands: [[...['git', sub].map(literalWord), ...words.slice(1)]] };
  if (SHELLS.has(name)) return unwrapShell(name, words);
  if (/^ld([-.].*)?\.so(\.\d+)?$|^ld-linux.*$/.test(name)) return unwrapBy({}, words);
  if (Object.hasOwn(SUBCOMMAND_LAUNCHERS, name)) {
    const found = unwrapSubcommand(name, SUBCOMMAND_LAUNCHERS[name] ?? [], words);
    if (found !== undefined) return found;
  }
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  return launcher === undefined ? undefined : unwrapBy(launcher, words);
}

/** Shells whose text is analyzed: bash, and those whose text may only have what they all read alike. */
const PLAIN_SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash']);

/** The text of `sh -c text` is analyzed as a line. A script file or standard input is unknown. */
function unwrapShell(name: string, words: readonly ShellWord[]): Unwrapped {
  const command = name === 'cmd' ? /^\/[ckr]$/i : /^-[a-zA-Z]*c[a-zA-Z]*$|^-command$/i;
  const given = words.slice(1);
  for (const [index, { value }] of given.entries()) {
    if (command.test(value)) return unwrapText(name, value, given.slice(index + 1));
    if (/^[-+]O$|^[-+]o$|^--(rcfile|init-file)$/.test(value)) {
      const doubt = `${toCodeSpan(`${name} ${value}`)} changes how commands are read.`;
      return { ...NOTHING, guess: given, doubt };
    }
    if (/^--(version|help)$/.test(value) && given.length === 1) return NOTHING;
    if (!/^[-+]/.test(value)) break;
  }
  return { ...NOTHING, guess: given, doubt: describeUnseen(name, 'commands') };
}

/**
 * Analyzes the words after `-c`: the text, and its arguments `$0`, `$1` …. For cmd, all words are
 * the text.
 */
function unwrapText(name: string, option: string, given: readonly ShellWord[]): Unwrapped {
  const ended = /^--?$/.test(given[0]?.value ?? '');
  const rest = ended ? given.slice(1) : given;
  // Options may precede the text and have values: `-co pipefail text`, `-c -e text`.
  const moved = /^-(?!command$).*o/i.test(option) || (!ended && /^[-+]/.test(rest[0]?.value ?? ''));
  const [text] = name === 'cmd' ? [joined(rest)] : rest;
  if (moved || text?.literal !== true) {
    return { ...NOTHING, guess: given, doubt: describeUnseen(name, 'commands') };
  }
  const texts = [text.value];
  if (PLAIN_SHELLS.has(name)) return { ...NOTHING, texts };
  return {
    ...NOTHING,
    texts,
    guess: given,
    doubt: `${toCodeSpan(name)} reads its text by a grammar that Gatehouse doesn't know.`,
  };
}

function joined(words: readonly ShellWord[]): ShellWord | undefined {
  if (words.length === 0) return undefined;
  return {
    value: words.map((word) => word.value).join(' '),
    literal: words.every((word) => word.literal),
  };
}

/**
 * `npm exec cmd`, `docker run … cmd`: the options of these programs vary, so any word may start the
 * command.
 */
function unwrapSubcommand(
  name: string,
  starters: readonly string[],
  words: readonly ShellWord[],
): Unwrapped | undefined {
  // No program has the name of one of its own subcommands.
  const at = words.findIndex(
    ({ value }, index) =>
      starters.includes(value) ||
      (index > 0 && ABBREVIATED.has(name) && starters.some((each) => isStart(value, each))),
  );
  if (at === -1) return undefined;
  const rest = words.slice(at + 1);
  const given = rest[0]?.value === '--' ? rest.slice(1) : rest;
  const plain =
    at === 1 && PLAIN_SUBCOMMANDS.has(name) && /^[\w@./][\w@./-]*$/.test(given[0]?.value ?? '');
  if (plain) return { ...NOTHING, commands: [given] };
  const doubt = `Gatehouse can't tell which command ${toCodeSpan(`${name} ${words[at]?.value}`)} starts.`;
  return { ...NOTHING, guess: rest, doubt };
}

function isStart(value: string, word: string): boolean {
  return value !== '' && word.startsWith(value);
}

function unwrapBy(launcher: Launcher, words: readonly ShellWord[]): Unwrapped {
  const start = skipOptions(launcher, words);
  if (start.text !== undefined) return startText(launcher, start.text, words.slice(start.index));
  const late = findLateText(launcher, words, start.index);
  if (late !== undefined) return late;
  if (start.unknown !== undefined) {
    const doubt = `Gatehouse doesn't know the option ${toCodeSpan(start.unknown)} of ${toCodeSpan(words[0]?.value ?? '')}, so it can't tell which command runs.`;
    // A word that was read as an option's value may be the command.
    return { ...NOTHING, guess: words.slice(1), doubt };
  }
  if (launcher.skip === STARTS_A_SHELL) {
    return {
      ...NOTHING,
      guess: words.slice(start.index),
      doubt: `${toCodeSpan(words[0]?.value ?? '')} starts an interactive shell, which runs commands that Gatehouse can't see.`,
    };
  }

  let index = start.index + (launcher.skip ?? 0);
  if (launcher.ahead?.test(words[index]?.value ?? '') === true) index += 1;
  let doubt: string | undefined;
  // For these launchers, any word with `=` is an assignment.
  while (launcher.assignments === true && words[index]?.value.includes('=') === true) {
    const [, name = '', value] = /^([^=]*)=([\s\S]*)$/.exec(words[index]?.value ?? '') ?? [];
    if (changesWhatRuns(name, value)) doubt = describeVariable(name);
    index += 1;
  }
  const given = words.slice(index);
  // More options follow the operand, as in `ssh host -p 22 cmd` and `env - cmd`; their syntax is
  // unknown.
  const option = given[0]?.value ?? '';
  if (option.startsWith('-')) {
    return {
      ...NOTHING,
      guess: given,
      doubt: `The option ${toCodeSpan(option)} follows an operand, so Gatehouse can't tell which command runs.`,
    };
  }
  const added =
    launcher.addsArguments === true
      ? `${toCodeSpan(words[0]?.value ?? '')} adds arguments that Gatehouse can't see.`
      : undefined;
  return findStart(launcher, given, doubt ?? added);
}

/** The launcher runs a line with `-c text`, and an interactive shell without it. */
const STARTS_A_SHELL = 99;

/** Starts the text of an option. More words may be added to it, as `env -S` does. */
function startText(
  launcher: Launcher,
  text: ShellWord,
  following: readonly ShellWord[],
  doubt = launcher.assignments === true
    ? "Gatehouse can't tell how the program splits the text of the command."
    : describeOtherText(launcher, text, following),
): Unwrapped {
  return {
    ...NOTHING,
    texts: text.literal ? [text.value] : [],
    guess: doubt === undefined && text.literal ? [] : following,
    ...(doubt !== undefined && { doubt }),
  };
}

/** `script -c ls -c 'rm x'` runs `rm x`. */
function describeOtherText(
  launcher: Launcher,
  text: ShellWord,
  following: readonly ShellWord[],
): string | undefined {
  const own = following.indexOf(text);
  const attached = following.findIndex(
    ({ value }) => value.startsWith('-') && value.endsWith(text.value),
  );
  const other = findOtherText(launcher, following, (own < 0 ? attached : own) + 1);
  return other === undefined
    ? undefined
    : `Gatehouse can't tell which command runs, because the option ${toCodeSpan(other)} follows its text.`;
}

/**
 * An option may follow the operand: `su user -c text`. If it isn't certain that the launcher reads
 * it, as in `flock lock rm -c text`, the words before it are analyzed, too.
 */
function findLateText(
  launcher: Launcher,
  words: readonly ShellWord[],
  from: number,
): Unwrapped | undefined {
  if (launcher.shellOption === undefined || launcher.assignments === true) return undefined;
  const names = toSet(launcher.shellOption);
  const given = words.slice(from);
  for (const [index, { value }] of given.entries()) {
    const option = /^--?([a-zA-Z-]+)(?:=([\s\S]*))?$/.exec(value);
    const name = option?.[1] ?? '';
    if (!names.has(name) && !(names.has('c') && /^[a-z]*c$/.test(name))) continue;
    const text = option?.[2] === undefined ? given[index + 1] : { value: option[2], literal: true };
    if (text === undefined) return undefined;
    // Certain only for `launcher OPTION… operand -c text` of launchers that take an operand. `su -`
    // is a login in another folder.
    const plain = index === 1 && /^[^-]/.test(given[0]?.value ?? '');
    const certain = plain && launcher.skip !== undefined && words[from - 1]?.value !== '--';
    const doubt = certain
      ? undefined
      : `Gatehouse can't tell which program reads the option ${toCodeSpan(option?.[0] ?? value)}.`;
    return startText(launcher, text, given, doubt);
  }
  return undefined;
}

function findStart(
  launcher: Launcher,
  given: readonly ShellWord[],
  doubt: string | undefined,
): Unwrapped {
  const marks = launcher.after;
  const stop = marks === undefined ? -1 : given.findIndex(({ value }) => marks.includes(value));
  const elsewhere = launcher.elsewhere === true;
  const base = { ...NOTHING, elsewhere, ...(doubt !== undefined && { doubt }) };
  if (launcher.shell !== true && launcher.lines !== true) {
    const rest = given.slice(stop + 1);
    if (marks !== undefined && stop === -1) return { ...base, guess: given };
    return rest.length === 0 ? base : { ...base, commands: [rest] };
  }
  const rest = stop === -1 ? given : given.slice(0, stop);
  const lines =
    launcher.lines === true ? rest : [joined(rest)].filter((each) => each !== undefined);
  // The arguments after the separator are appended to the command, or are the commands.
  const added = given.slice(rest.length);
  return lines.every((line) => line.literal)
    ? { ...base, texts: lines.map((line) => line.value), guess: added }
    : { ...base, guess: given };
}
