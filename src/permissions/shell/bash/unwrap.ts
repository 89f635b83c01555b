import type { ShellWord } from '../acts.ts';
import {
  LAUNCHERS,
  type Launcher,
  PLAIN_SUBCOMMANDS,
  SHELLS,
  SUBCOMMAND_LAUNCHERS,
} from '../programs/launcherTable.ts';
import { toSet } from '../programs/options.ts';
import { changesWhatRuns } from './assignments.ts';

/** What a launcher starts. */
export interface Unwrapped {
  /** Commands by their words. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Texts that a shell would run. */
  readonly texts: readonly string[];
  /** Words after which the command may start anywhere: an option was not understood. */
  readonly guess: readonly ShellWord[];
  readonly doubt?: string;
  readonly elsewhere: boolean;
}

const NOTHING: Unwrapped = { commands: [], texts: [], guess: [], elsewhere: false };

/** What the words start beside the program itself; undefined when the program is no launcher we know. */
export function unwrap(name: string, words: readonly ShellWord[]): Unwrapped | undefined {
  if (SHELLS.has(name)) return unwrapShell(name, words);
  if (/^ld([-.].*)?\.so(\.\d+)?$|^ld-linux.*$/.test(name)) return unwrapBy({}, words);
  if (Object.hasOwn(SUBCOMMAND_LAUNCHERS, name)) {
    const found = unwrapSubcommand(name, SUBCOMMAND_LAUNCHERS[name] ?? [], words);
    if (found !== undefined) return found;
  }
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  return launcher === undefined ? undefined : unwrapBy(launcher, words);
}

/** Shells that read the text of `-c` as bash does, as far as we look. */
const PLAIN_SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh']);

/** `sh -c text` is a line of its own; a script file or standard input is not known. */
function unwrapShell(name: string, words: readonly ShellWord[]): Unwrapped {
  const command = name === 'cmd' ? /^\/[ckr]$/i : /^-[a-zA-Z]*c[a-zA-Z]*$|^-command$/i;
  const given = words.slice(1);
  for (const [index, { value }] of given.entries()) {
    if (command.test(value)) return unwrapText(name, value, given.slice(index + 1));
    if (/^[-+]O$|^[-+]o$|^--(rcfile|init-file)$/.test(value)) {
      const doubt = `${name} ${value} changes how it reads`;
      return { ...NOTHING, guess: given, doubt };
    }
    if (/^--(version|help)$/.test(value) && given.length === 1) return NOTHING;
    if (!/^[-+]/.test(value)) break;
  }
  return { ...NOTHING, guess: given, doubt: `what ${name} runs is not on the line` };
}

/** What follows `-c`: the text, and what the text calls `$0`, `$1` …; of cmd all of it. */
function unwrapText(name: string, option: string, given: readonly ShellWord[]): Unwrapped {
  const ended = /^--?$/.test(given[0]?.value ?? '');
  const rest = ended ? given.slice(1) : given;
  // `-co pipefail text`, `-c -e text`: options may stand before the text and have values of their own.
  const moved = /^-(?!command$).*o/i.test(option) || (!ended && /^[-+]/.test(rest[0]?.value ?? ''));
  const [text] = name === 'cmd' ? [joined(rest)] : rest;
  if (moved || text?.literal !== true) {
    return { ...NOTHING, guess: given, doubt: `what ${name} runs is not certain` };
  }
  const texts = [text.value];
  if (PLAIN_SHELLS.has(name)) return { ...NOTHING, texts };
  return { ...NOTHING, texts, guess: given, doubt: `${name} reads its text by rules of its own` };
}

function joined(words: readonly ShellWord[]): ShellWord | undefined {
  if (words.length === 0) return undefined;
  return {
    value: words.map((word) => word.value).join(' '),
    literal: words.every((word) => word.literal),
  };
}

/** `npm exec cmd`, `docker run … cmd`: options of their own differ too much, so any word may start it. */
function unwrapSubcommand(
  name: string,
  starters: readonly string[],
  words: readonly ShellWord[],
): Unwrapped | undefined {
  // No program is named like one of its own sub-commands.
  const at = words.findIndex(({ value }) => starters.includes(value));
  if (at === -1) return undefined;
  const rest = words.slice(at + 1);
  const given = rest[0]?.value === '--' ? rest.slice(1) : rest;
  const plain =
    at === 1 && PLAIN_SUBCOMMANDS.has(name) && /^[\w@./][\w@./-]*$/.test(given[0]?.value ?? '');
  if (plain) return { ...NOTHING, commands: [given] };
  const doubt = `what ${name} ${words[at]?.value} starts is not certain`;
  return { ...NOTHING, guess: rest, doubt };
}

function unwrapBy(launcher: Launcher, words: readonly ShellWord[]): Unwrapped {
  const start = skipOptions(launcher, words);
  if (start.text !== undefined) return startText(launcher, start.text, words.slice(start.index));
  const late = findLateText(launcher, words, start.index);
  if (late !== undefined) return late;
  if (start.unknown !== undefined) {
    const doubt = `the option ${start.unknown} of ${words[0]?.value} is not known`;
    // What was taken for an option's value may be the command.
    return { ...NOTHING, guess: words.slice(1), doubt };
  }
  if (launcher.skip === STARTS_A_SHELL) {
    return { ...NOTHING, guess: words.slice(start.index), doubt: 'it starts a shell' };
  }

  let index = start.index + (launcher.skip ?? 0);
  if (launcher.ahead?.test(words[index]?.value ?? '') === true) index += 1;
  let doubt: string | undefined;
  // Any word with `=` is an assignment to these, whatever stands before it.
  while (launcher.assignments === true && words[index]?.value.includes('=') === true) {
    const name = (words[index]?.value ?? '').split('=', 1)[0] ?? '';
    if (changesWhatRuns(name)) doubt = `${name} may change what runs`;
    index += 1;
  }
  const given = words.slice(index);
  // `ssh host -p 22 cmd`, `env - cmd`: options go on, in a way that is not known.
  const option = given[0]?.value ?? '';
  if (option.startsWith('-')) {
    return { ...NOTHING, guess: given, doubt: `the option ${option} stands behind others` };
  }
  const added =
    launcher.addsArguments === true ? 'further arguments are not on the line' : undefined;
  return findStart(launcher, given, doubt ?? added);
}

/** With `-c text` a line, without it an interactive shell. */
const STARTS_A_SHELL = 99;

/** The text of an option; what follows may be added to it, as `env -S` does. */
function startText(
  launcher: Launcher,
  text: ShellWord,
  following: readonly ShellWord[],
  doubt = launcher.assignments === true ? 'its text is read by rules of its own' : undefined,
): Unwrapped {
  return {
    ...NOTHING,
    texts: text.literal ? [text.value] : [],
    guess: doubt === undefined && text.literal ? [] : following,
    ...(doubt !== undefined && { doubt }),
  };
}

/**
 * `su user -c text`: an option may follow the operand. Where it is not certain that the launcher
 * reads it itself, as in `flock lock rm -c text`, the words before it are looked at as well.
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
    // Only `launcher OPTION… operand -c text`, of those that take an operand; `su -` is a login elsewhere.
    const plain = index === 1 && /^[^-]/.test(given[0]?.value ?? '');
    const certain = plain && launcher.skip !== undefined && words[from - 1]?.value !== '--';
    const doubt = certain ? undefined : `who reads ${option?.[0]} is not certain`;
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
  // The arguments after the mark are added to the command, or are the commands themselves.
  const added = given.slice(rest.length);
  return lines.every((line) => line.literal)
    ? { ...base, texts: lines.map((line) => line.value), guess: added }
    : { ...base, guess: given };
}

interface Start {
  readonly index: number;
  readonly unknown?: string;
  /** The value of an option that holds a whole line. */
  readonly text?: ShellWord;
}

function skipOptions(launcher: Launcher, words: readonly ShellWord[]): Start {
  const names = {
    flags: toSet(launcher.flags),
    valued: toSet(launcher.valued),
    shell: toSet(launcher.shellOption),
    attached: toSet(launcher.attached),
  };
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word?.literal !== true) return { index: index - 1, unknown: word?.value ?? '' };
    const text = word.value;
    if (text === '--') return { index: index + 1 };
    if (!/^-./.test(text)) break;
    const step =
      text.startsWith('--') || launcher.words === true
        ? readLongOption(text, words[index + 1], names)
        : readShortOptions(text, words[index + 1], names);
    if (step === 'unknown') return { index, unknown: text };
    if (typeof step !== 'number') return { index, text: step };
    index += step;
  }
  return { index };
}

interface OptionNames {
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly shell: ReadonlySet<string>;
  readonly attached: ReadonlySet<string>;
}

type Step = number | 'unknown' | ShellWord;

function readLongOption(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  const [name = '', ...value] = text.replace(/^--?/, '').split('=');
  if (names.shell.has(name) || isShortened(name, names)) {
    return value.length > 0 ? { value: value.join('='), literal: true } : (next ?? 'unknown');
  }
  if (names.attached.has(name)) return 0;
  if (names.valued.has(name)) return value.length > 0 ? 0 : 1;
  return names.flags.has(name) && value.length === 0 ? 0 : 'unknown';
}

/** GNU programs take any unambiguous beginning: `env --split='rm x'`. */
function isShortened(name: string, { shell, flags, valued }: OptionNames): boolean {
  if (name.length < 2 || flags.has(name) || valued.has(name)) return false;
  return [...shell].some((each) => each.length > 1 && each.startsWith(name));
}

function readShortOptions(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  // `nice -5` is a number, not a cluster of letters.
  if (/^-\d+$/.test(text) && names.valued.has('n')) return 0;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const rest = text.slice(at + 1);
    if (names.shell.has(letter))
      return rest === '' ? (next ?? 'unknown') : { value: rest, literal: true };
    if (names.attached.has(letter)) return 0;
    if (names.valued.has(letter)) return rest === '' ? 1 : 0;
    if (!names.flags.has(letter)) return 'unknown';
  }
  return 0;
}
