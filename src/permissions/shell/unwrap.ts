import type { ShellWord } from './acts.ts';
import { changesWhatRuns } from './assignments.ts';
import {
  LAUNCHERS,
  type Launcher,
  PLAIN_SUBCOMMANDS,
  SHELLS,
  SUBCOMMAND_LAUNCHERS,
} from './launcherTable.ts';
import { toSet } from './options.ts';

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

/** `sh -c text` is a line of its own; a script file or standard input is not known. */
function unwrapShell(name: string, words: readonly ShellWord[]): Unwrapped {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.literal) break;
    const command = name === 'cmd' ? /^\/[ckr]$/i : /^-[a-zA-Z]*c[a-zA-Z]*$|^-command$/i;
    if (command.test(word.value)) {
      const rest = words.slice(index + 1).filter((each, at) => at > 0 || !/^[-+]/.test(each.value));
      const [text] = name === 'cmd' ? [joined(rest)] : rest;
      if (text === undefined || !text.literal) {
        return {
          ...NOTHING,
          guess: words.slice(index + 1),
          doubt: `what ${name} runs is not literal`,
        };
      }
      const odd =
        name === 'sh' || name === 'bash' || name === 'dash' || name === 'ash' || name === 'zsh';
      return {
        ...NOTHING,
        texts: [text.value],
        ...(!odd && { doubt: `${name} reads its text by rules of its own` }),
      };
    }
    if (/^[-+]O$|^[-+]o$|^--(rcfile|init-file)$/.test(word.value)) {
      return {
        ...NOTHING,
        guess: words.slice(index + 1),
        doubt: `${name} ${word.value} changes how it reads`,
      };
    }
    if (/^--(version|help)$/.test(word.value) && words.length === 2) return NOTHING;
    if (!/^[-+]/.test(word.value)) break;
  }
  return { ...NOTHING, guess: words.slice(1), doubt: `what ${name} runs is not on the line` };
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
  const at = words.findIndex((word, index) => index > 0 && starters.includes(word.value));
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const [first] = rest[0]?.value === '--' ? rest.slice(1) : rest;
  const plain =
    at === 1 &&
    first !== undefined &&
    first.literal &&
    /^[\w@./-]+$/.test(first.value) &&
    !first.value.startsWith('-');
  if (!plain || !PLAIN_SUBCOMMANDS.has(name)) {
    return {
      ...NOTHING,
      guess: rest,
      doubt: `what ${name} ${words[at]?.value} starts is not certain`,
      elsewhere: true,
    };
  }
  return { ...NOTHING, commands: [rest[0]?.value === '--' ? rest.slice(1) : rest] };
}

function unwrapBy(launcher: Launcher, words: readonly ShellWord[]): Unwrapped {
  const elsewhere = launcher.elsewhere === true;
  const start = skipOptions(launcher, words);
  const text = start.text ?? findLateText(launcher, words, start.index);
  if (text !== undefined) return startText(text, launcher, elsewhere);
  if (start.unknown !== undefined) {
    const doubt = `the option ${start.unknown} of ${words[0]?.value} is not known`;
    return { ...NOTHING, guess: words.slice(start.index + 1), doubt, elsewhere };
  }
  if (launcher.skip === STARTS_A_SHELL)
    return { ...NOTHING, doubt: 'it starts a shell', elsewhere };

  let index = start.index + (launcher.skip ?? 0);
  let doubt: string | undefined;
  // Any word with `=` is an assignment to these, whatever stands before it.
  while (launcher.assignments === true && words[index]?.value.includes('=') === true) {
    const name = (words[index]?.value ?? '').split('=', 1)[0] ?? '';
    if (changesWhatRuns(name)) doubt = `${name} may change what runs`;
    index += 1;
  }
  const added =
    launcher.addsArguments === true ? 'further arguments are not on the line' : undefined;
  return startOf(launcher, words.slice(index), elsewhere, doubt ?? added);
}

/** With `-c text` a line, without it an interactive shell. */
const STARTS_A_SHELL = 99;

/** `env -S` and its like add the words that follow to the text, so the text alone is not all. */
function startText(text: ShellWord, launcher: Launcher, elsewhere: boolean): Unwrapped {
  if (!text.literal)
    return { ...NOTHING, guess: [text], doubt: 'what it runs is not literal', elsewhere };
  const doubt = launcher.assignments === true ? 'its text is read by rules of its own' : undefined;
  return { ...NOTHING, texts: [text.value], elsewhere, ...(doubt !== undefined && { doubt }) };
}

/** `su user -c text`: options may follow operands. */
function findLateText(
  launcher: Launcher,
  words: readonly ShellWord[],
  from: number,
): ShellWord | undefined {
  if (launcher.shellOption === undefined || launcher.assignments === true) return undefined;
  const names = toSet(launcher.shellOption);
  for (let index = from; index < words.length; index += 1) {
    const option = /^--?([a-zA-Z-]+)(?:=([\s\S]*))?$/.exec(words[index]?.value ?? '');
    const name = option?.[1] ?? '';
    if (!names.has(name) && !(names.has('c') && /^[a-z]*c$/.test(name))) continue;
    return option?.[2] === undefined ? words[index + 1] : { value: option[2], literal: true };
  }
  return undefined;
}

function startOf(
  launcher: Launcher,
  given: readonly ShellWord[],
  elsewhere: boolean,
  doubt: string | undefined,
): Unwrapped {
  const marks = launcher.after;
  const stop = marks === undefined ? -1 : given.findIndex(({ value }) => marks.includes(value));
  const base = { ...NOTHING, elsewhere, ...(doubt !== undefined && { doubt }) };
  if (launcher.shell !== true && launcher.lines !== true) {
    const rest = given.slice(stop + 1);
    if (marks !== undefined && stop < 0) return { ...base, guess: given };
    return rest.length === 0 ? base : { ...base, commands: [rest] };
  }
  const rest = stop < 0 ? given : given.slice(0, stop);
  // Without a command of its own, the arguments after the mark are the commands.
  if (rest.length === 0) return { ...base, guess: given };
  const lines =
    launcher.lines === true ? rest : [joined(rest)].filter((each) => each !== undefined);
  const literal = lines.every((line) => line.literal);
  return literal
    ? { ...base, texts: lines.map((line) => line.value) }
    : { ...base, guess: rest, doubt: 'what it runs is not literal' };
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
  };
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.literal)
      return { index: index - 1, unknown: word?.value ?? '' };
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
}

type Step = number | 'unknown' | ShellWord;

function readLongOption(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  const [name = '', ...value] = text.replace(/^--?/, '').split('=');
  if (names.shell.has(name)) {
    return value.length > 0 ? { value: value.join('='), literal: true } : (next ?? 'unknown');
  }
  if (names.valued.has(name)) return value.length > 0 ? 0 : 1;
  return names.flags.has(name) && value.length === 0 ? 0 : 'unknown';
}

function readShortOptions(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  // `nice -5` is a number, not a cluster of letters.
  if (/^-\d+$/.test(text) && names.valued.has('n')) return 0;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const rest = text.slice(at + 1);
    if (names.shell.has(letter))
      return rest === '' ? (next ?? 'unknown') : { value: rest, literal: true };
    if (names.valued.has(letter)) return rest === '' ? 1 : 0;
    if (!names.flags.has(letter)) return 'unknown';
  }
  return 0;
}
