/** A set of options that a command may have. */
export interface FlagSet {
  /** Whether the word only consists of these options. */
  allow(word: string): boolean;
  /** `!`: the command has no operands other than those of the pattern itself. */
  readonly noOperands: boolean;
}

/**
 * Parses `! -a -n: --long --long= -#`: `:` takes a value, `=` may have one, `-#` is a number, `!`
 * means no operands.
 */
export function parseFlags(text: string): FlagSet {
  const words = new Set(text.split(/\s+/).filter((word) => word !== ''));
  const letters = (letter: string) => words.has(`-${letter}`);
  return {
    noOperands: words.has('!'),
    allow(word) {
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
