/** A set of options that a command may have. */
export interface FlagSet {
  /** Whether the word only consists of these options. */
  allow(word: string): boolean;
  /** `!`: the command has no operands other than those of the pattern itself. */
  readonly noOperands: boolean;
  /** `+`: a word must follow the pattern. */
  readonly needsWord: boolean;
  /** `@`: the command is a request to this machine (`isLocalRequest`). */
  readonly localOnly: boolean;
  /** `+-n`: whether the options include the letter that must be given. */
  hasNeeded(options: readonly string[]): boolean;
}

/**
 * Parses `! + +-n * @ -a -n: --long --long= -#`: `:` takes a value, `=` may have one, `-#` is a number,
 * `!` means no operands, `+` at least one more word, `+-n` that `-n` must be given, `*` any
 * option, and `@` that it is a request to this machine.
 */
export function parseFlags(text: string): FlagSet {
  const words = new Set(text.split(/\s+/).filter((word) => word !== ''));
  const needed = [...words].find((word) => /^\+-\w$/.test(word))?.slice(2);
  const letters = (letter: string) => words.has(`-${letter}`);
  return {
    noOperands: words.has('!'),
    needsWord: words.has('+'),
    localOnly: words.has('@'),
    hasNeeded(options) {
      return needed === undefined || options.some((option) => holdsLetter(option, needed, words));
    },
    allow(word) {
      if (words.has('*')) return true;
      if (words.has(word) || words.has(`${word}=`) || words.has(`${word}:`)) return true;
      if (/^-\d+$/.test(word)) return words.has('-#');
      if (word.startsWith('--')) {
        const [name = ''] = word.split('=', 1);
        return words.has(`${name}=`);
      }
      for (let at = 1; at < word.length; at += 1) {
        const letter = word[at] ?? '';
        if (words.has(`-${letter}:`)) return true;
        if (!letters(letter)) return false;
      }
      return word.length > 1;
    },
  };
}

/** Whether the letter is among the short options of a word, before one that takes the rest. */
function holdsLetter(option: string, letter: string, words: ReadonlySet<string>): boolean {
  if (option.startsWith('--')) return false;
  for (const each of option.slice(1)) {
    if (each === letter) return true;
    if (words.has(`-${each}:`)) return false;
  }
  return false;
}
