/** The options of a subcommand of git that are understood. */
export interface GitOptions {
  /** Single letters without a value; they may be clustered. */
  readonly letters: string;
  /** Single letters with a value. */
  readonly valued: string;
  /** Names after `--`, or after `--no-`, separated by spaces. */
  readonly long: string;
  /** Names with a value in the same word or, except for `track` and `log`, in the next one. */
  readonly longValued: string;
  /** Other options are skipped. */
  readonly anything?: true;
}

/** The arguments of a subcommand. */
export interface Given {
  /** Whether one of the options is given. */
  has(...names: readonly string[]): boolean;
  /** Whether `--no-name` is given. */
  hasNo(name: string): boolean;
  value(...names: readonly string[]): string | undefined;
  /** The operands before `--`. */
  readonly operands: readonly string[];
  /** The operands after `--`; undefined: there is none. */
  readonly marked: readonly string[] | undefined;
}

/** Parses the arguments as git does; or returns the option that isn't understood. */
export function parseGitOptions(words: readonly string[], options: GitOptions): Given | string {
  const found = new Map<string, string>();
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  const operands: string[] = [];
  for (let index = 0; index < before.length; index += 1) {
    const word = before[index] ?? '';
    if (word === '-' || !word.startsWith('-')) operands.push(word);
    else if (options.anything === true) continue;
    else {
      const next = () => before[++index];
      const known = word.startsWith('--')
        ? readLong(word.slice(2), options, found, next)
        : readLetters(word.slice(1), options, found, next);
      if (!known) return word;
    }
  }
  return {
    has: (...names) => names.some((name) => found.has(name)),
    hasNo: (name) => found.has(`no-${name}`),
    value: (...names) => names.flatMap((name) => found.get(name) ?? [])[0],
    operands,
    marked: end < 0 ? undefined : words.slice(end + 1),
  };
}

/** The next word; undefined: there is none, so git reads the words differently. */
type Next = () => string | undefined;
type Values = Map<string, string>;

function readLong(text: string, options: GitOptions, found: Values, next: Next): boolean {
  const [, name = text, given] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const isListed = (list: string, each = name) => list.split(/\s+/).includes(each);
  const mayOmit = isListed(options.long);
  if (isListed(options.longValued) && (given !== undefined || !mayOmit)) {
    const value = given ?? next();
    if (value !== undefined) found.set(name, value);
    return value !== undefined;
  }
  found.set(name, '');
  const negated = name.startsWith('no-') && isListed(options.long, name.slice(3));
  return given === undefined && (mayOmit || negated);
}

function readLetters(text: string, options: GitOptions, found: Values, next: Next): boolean {
  for (const [index, letter] of [...text].entries()) {
    if (options.valued.includes(letter)) {
      const value = text.slice(index + 1) || next();
      if (value !== undefined) found.set(letter, value);
      return value !== undefined;
    }
    if (!options.letters.includes(letter)) return false;
    found.set(letter, '');
  }
  return true;
}
