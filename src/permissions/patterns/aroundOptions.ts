import type { StarPattern } from './star.ts';

/**
 * The text as it would begin like the pattern: without the options that precede the pattern's words,
 * and with the options of the pattern where it has them, wherever they stand in the text.
 * Undefined: the text doesn't have all of these words, or has no options.
 */
export function arrangeOptions(parts: StarPattern, text: string): string | undefined {
  const head = parts[0] ?? '';
  const end = head.indexOf(' ');
  // Fast path: most commands have no option, or are of another program.
  if (end < 0 || !text.includes(' -') || !text.startsWith(head.slice(0, end + 1))) return undefined;
  const wanted = head.split(' ');
  const words = text.split(' ');
  const last = wanted.at(-1) ?? '';
  const isOpen = parts.length > 1;
  const used = findOptions(wanted.filter(isOption), words, isOpen ? last : undefined);
  if (used === undefined) return undefined;
  const plain = wanted.filter((word) => !isOption(word));
  const behind = isOption(last) ? [...plain, ''] : plain;
  const start = findLast(behind, words, isOpen || isOption(last));
  if (start === undefined) return undefined;
  const rest = words.filter((_, index) => index >= start && !used.has(index));
  return [...(isOption(last) ? wanted : wanted.slice(0, -1)), ...rest].join(' ');
}

/** `--` too, which ends the options: `git checkout -- x`. */
function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** Where the last of these words is, before each of which there may be options. */
function findLast(
  plain: readonly string[],
  words: readonly string[],
  isOpen: boolean,
): number | undefined {
  let starts: readonly number[] = [0];
  for (const word of plain.slice(0, -1)) {
    const ends = starts.filter((at) => words[at] === word).map((at) => at + 1);
    starts = listStarts(words, ends);
  }
  const last = plain.at(-1) ?? '';
  // A wildcard that follows also matches what comes before a later start.
  const fits = (word: string) => (isOpen ? word.startsWith(last) : word === last);
  return starts.find((at) => fits(words[at] ?? ''));
}

/** Where the next word may be: behind any number of options, each of which may take a word. */
function listStarts(words: readonly string[], ends: readonly number[]): readonly number[] {
  const found = new Set(ends);
  for (const at of found) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) continue;
    found.add(at + 1);
    if (!word.includes('=')) found.add(at + 2);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The indices of the words that are these options. `begun`: the one of which the pattern has only the
 * beginning. Undefined: one of them isn't there.
 */
function findOptions(
  options: readonly string[],
  words: readonly string[],
  begun: string | undefined,
): ReadonlySet<number> | undefined {
  const used = new Set<number>();
  for (const [at, option] of options.entries()) {
    // `-f -f` is there only if the text has it twice.
    const before = options.slice(0, at).filter((each) => each === option).length;
    const found = findOption(option, words, option === begun, before);
    if (found.includes(-1)) return undefined;
    for (const index of found) used.add(index);
  }
  return used;
}

/** Behind `before` others of it. `-1` stands for letters that aren't there. */
function findOption(
  option: string,
  words: readonly string[],
  isBegun: boolean,
  before: number,
): readonly number[] {
  const isIt = (word: string) =>
    word === option || (isBegun && word.startsWith(option)) || isLong(word, option);
  const whole = words.flatMap((word, at) => (isIt(word) ? [at] : []))[before] ?? -1;
  if (whole >= 0 || !/^-[a-zA-Z]{1,3}$/.test(option)) return [whole];
  // Single letters may be clustered, in any order: `-rf`, `-fr`, `-vrf`, `-ff` and `-r -f`.
  return [...option.slice(1)].map((letter) => findLetter(letter, words, before));
}

function findLetter(letter: string, words: readonly string[], before: number): number {
  const found = words.flatMap((word, at) =>
    [...(/^-[a-zA-Z]+/.exec(word)?.[0] ?? '')].flatMap((each) => (each === letter ? [at] : [])),
  );
  return found[before] ?? -1;
}

/** The same long option: abbreviated, as most programs take it, or with a value. */
function isLong(word: string, option: string): boolean {
  if (!/^--./.test(option)) return false;
  const [name = ''] = word.split('=', 1);
  return name.length > 2 && option.startsWith(name);
}
