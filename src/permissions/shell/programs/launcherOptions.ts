import type { ShellWord } from '../acts.ts';
import { LAUNCHERS, type Launcher, SHELLS } from './launcherTable.ts';
import { toSet } from './spellings/optionNames.ts';

interface Start {
  /** Of the first word that isn't an option, or of the option that is unknown or has the text. */
  readonly index: number;
  readonly unknown?: string;
  /** The value of an option that contains a whole line. */
  readonly text?: ShellWord;
}

/** Reads the options of a launcher from the word at `from` on. */
export function skipOptions(launcher: Launcher, words: readonly ShellWord[], from = 1): Start {
  const names = {
    flags: toSet(launcher.flags),
    valued: toSet(launcher.valued),
    shell: toSet(launcher.shellOption),
    attached: toSet(launcher.attached),
    pipes: toSet(launcher.pipes),
  };
  let index = from;
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

/**
 * The first option from the word at `from` on that is unknown, or has a line of its own: launchers run the
 * last line that they are given, wherever it stands.
 */
export function findOtherText(
  launcher: Launcher,
  words: readonly ShellWord[],
  from: number,
): string | undefined {
  for (let at = from; at < words.length; ) {
    const { index, text, unknown } = skipOptions(launcher, words, at);
    if (text !== undefined || unknown !== undefined) return unknown ?? words[index]?.value;
    // More options may follow an operand.
    at = words[index - 1]?.value === '--' ? index : index + 1;
  }
  return undefined;
}

/** The indices of the words that an allow must contain: `-p` of `npx -p package program`, and its value. */
export function findSpelled(name: string, words: readonly ShellWord[]): readonly number[] {
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (launcher?.spelled === undefined) return [];
  const names = [...toSet(launcher.spelled)];
  return [...words.keys()].slice(1, skipOptions(launcher, words).index).flatMap((at) => {
    const text = words[at]?.value ?? '';
    const long = names.find((each) => text === `--${each}` || text.startsWith(`--${each}=`));
    if (long !== undefined) return text.includes('=') ? [at] : [at, at + 1];
    const isShort = /^-[^-]/.test(text);
    const letter = names.find((each) => each.length === 1 && isShort && text.includes(each));
    if (letter === undefined) return [];
    return text.endsWith(letter) ? [at, at + 1] : [at];
  });
}

/** The index of the first word that a launcher passes to the command that it starts. */
export function findStarted(name: string, words: readonly ShellWord[]): number {
  if (SHELLS.has(name)) return 0;
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (launcher === undefined || launcher.skip === 99) return words.length;
  const { index, unknown, text } = skipOptions(launcher, words);
  const { after } = launcher;
  if (after !== undefined) {
    const mark = words.findIndex(({ value }) => after.includes(value));
    return mark < 0 ? words.length : mark + 1;
  }
  if (unknown !== undefined || text !== undefined) return words.length;
  // A file of variables that it reads itself.
  return launcher.ahead?.test(words[index]?.value ?? '') === true ? index + 1 : index;
}

interface OptionNames {
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly shell: ReadonlySet<string>;
  readonly attached: ReadonlySet<string>;
  readonly pipes: ReadonlySet<string>;
}

type Step = number | 'unknown' | ShellWord;

function readLongOption(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  const [name = '', ...value] = text.replace(/^--?/, '').split('=');
  if (names.shell.has(name) || isShortened(name, names)) {
    return value.length > 0 ? { value: value.join('='), literal: true } : (next ?? 'unknown');
  }
  if (names.attached.has(name)) return 0;
  if (isPipe(name, value.length > 0 ? value.join('=') : next?.value, names)) return 'unknown';
  if (names.valued.has(name)) return value.length > 0 ? 0 : 1;
  return names.flags.has(name) && value.length === 0 ? 0 : 'unknown';
}

/** `strace -o '|rm x' ls` starts both. */
function isPipe(name: string, value: string | undefined, { pipes }: OptionNames): boolean {
  return pipes.has(name) && /^\s*[|!]/.test(value ?? '');
}

/**
 * Whether it is an abbreviation of a known option. GNU programs accept any unambiguous prefix: `env
 * --split='rm x'`.
 */
function isShortened(name: string, { shell, flags, valued }: OptionNames): boolean {
  if (name.length < 2 || flags.has(name) || valued.has(name)) return false;
  return [...shell].some((each) => each.length > 1 && each.startsWith(name));
}

function readShortOptions(text: string, next: ShellWord | undefined, names: OptionNames): Step {
  // `nice -5` is a number, not a cluster of short options.
  if (/^-\d+$/.test(text) && names.valued.has('n')) return 0;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const rest = text.slice(at + 1);
    if (names.shell.has(letter))
      return rest === '' ? (next ?? 'unknown') : { value: rest, literal: true };
    if (names.attached.has(letter)) return 0;
    if (isPipe(letter, rest === '' ? next?.value : rest, names)) return 'unknown';
    if (names.valued.has(letter)) return rest === '' ? 1 : 0;
    if (!names.flags.has(letter)) return 'unknown';
  }
  return 0;
}
