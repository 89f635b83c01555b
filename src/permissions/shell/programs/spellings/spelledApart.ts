import type { ShellWord } from '../../acts.ts';
import type { Program } from '../tables/program.ts';
import { findLong, getNames, type Kind, type Names, RISKY, TAKING } from './optionNames.ts';

/** A command with its options spelled apart, and for each word the index of the one it comes from. */
export interface SpelledApart {
  readonly words: readonly ShellWord[];
  readonly origins: readonly number[];
}

/** Kinds of options whose value may be a file, a folder or a program. */
const NAMING: readonly Kind[] = ['runs', 'writes', 'lists', 'reads', 'workFolders'];

/**
 * The command as it reads with each value in a word of its own, and its name in full: `cp -rtDIR` as
 * `cp -rt DIR`, `tar --dir=DIR` as `tar --directory DIR`. Values that name no file stay where they are.
 * Undefined: the words are spelled like that.
 */
export function spellApart(
  program: Program,
  words: readonly ShellWord[],
): SpelledApart | undefined {
  const names = getNames(program);
  const found: ShellWord[] = [];
  const origins: number[] = [];
  let ended = false;
  let changed = false;
  for (const [index, word] of words.entries()) {
    const dashed: boolean = index > 0 && !ended && word.literal && /^-./.test(word.value);
    const parts = dashed ? split(word.value, program, names) : undefined;
    ended ||= dashed && word.value === '--' && program.words !== true;
    changed ||= parts !== undefined;
    for (const value of parts ?? [undefined]) {
      found.push(value === undefined ? word : { ...word, value });
      origins.push(index);
    }
  }
  return changed ? { words: found, origins } : undefined;
}

/** The words that an option is spelled apart with; undefined: it is one word. */
function split(text: string, program: Program, names: Names): readonly string[] | undefined {
  if (text.startsWith('--') || program.words === true) return splitLong(text, names);
  const long = program.oneDash === true ? splitLong(text, names) : undefined;
  return long ?? (program.letters === 'first' ? splitFirst(text, names) : splitShort(text, names));
}

function splitLong(text: string, names: Names): readonly string[] | undefined {
  const [, dashes = '', written = '', value] = /^(--?)([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  const letter = written.charAt(0);
  if (dashes === '-' && written.length > 1 && names.attached.has(letter))
    return namesFile(letter, names) ? [`-${letter}`, text.slice(2)] : undefined;
  const name = findLong(written, names, dashes === '--') ?? findByLetter(written, names);
  if (name === undefined || names.valued.has(name)) return undefined;
  if (value === undefined || value === '' || !namesFile(name, names)) return undefined;
  return [dashes + name, value];
}

/** GNU programs take one letter for the only long name that starts with it. */
function findByLetter(written: string, names: Names): string | undefined {
  if (written.length !== 1) return undefined;
  return NAMING.flatMap((kind) => [...names[kind]]).find(
    (name) => name.length > 1 && name.startsWith(written),
  );
}

function splitShort(text: string, names: Names): readonly string[] | undefined {
  const found: string[] = [];
  let start = 1;
  for (let at = 1; at < text.length - 1; at += 1) {
    const letter = text[at] ?? '';
    if (names.optional.has(letter)) break;
    if (!TAKING.some((kind) => names[kind].has(letter))) continue;
    if (namesFile(letter, names)) {
      found.push(`-${text.slice(start, at + 1)}`, text.slice(at + 1));
      start = at + 1;
    }
    // The table doesn't say whether a risky option has a value, so the next letters may be options.
    if (!RISKY.some((kind) => names[kind].has(letter))) break;
  }
  return found.length > 0 ? found : undefined;
}

/** Only the first letter counts: `xxd -rX`. */
function splitFirst(text: string, names: Names): readonly string[] | undefined {
  const letter = text.charAt(1);
  const whole = TAKING.some((kind) => names[kind].has(text.slice(1)));
  if (whole || text.length < 3 || !namesFile(letter, names)) return undefined;
  return [`-${letter}`, text.slice(2)];
}

/** The suffix of `sed -i.bak` can only be attached, so it is left as it is. */
function namesFile(name: string, names: Names): boolean {
  const suffixed = names.edits.has(name) && names.writes.has(name);
  if (names.valued.has(name) || suffixed) return false;
  return NAMING.some((kind) => names[kind].has(name));
}
