import type { ShellWord } from '../acts.ts';

/** Options of a program of which every one is known. Letters, and long names without `--`. */
interface Syntax {
  readonly flags: ReadonlySet<string>;
  /** Options with a value, attached or as the next word. */
  readonly valued: ReadonlySet<string>;
}

/** How a search is called. */
export interface SearchWords {
  /** Which of these options are given. */
  has(...names: readonly string[]): boolean;
  /** The operands: a pattern and paths, as words. */
  readonly operands: readonly string[];
}

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** Without those that print something else than names, or add to a name. */
const RG: Syntax = {
  flags: toSet(
    `a F h H i I l L n N o P q s S u U v w x . 0 files files-with-matches files-without-match hidden no-ignore
    no-ignore-vcs no-messages no-config ignore-case smart-case case-sensitive word-regexp line-regexp
    fixed-strings invert-match null follow unrestricted multiline pcre2 text with-filename no-filename
    line-number no-line-number no-heading only-matching quiet trim`,
  ),
  valued: toSet(
    `A B C d e E f g j m M t T after-context before-context context regexp file glob iglob max-count max-columns
    max-depth max-filesize threads type type-not sort sortr encoding`,
  ),
};
const GREP: Syntax = {
  flags: toSet(
    `a E F G H I L P R U Z h i l n o q r s v w x z extended-regexp fixed-strings basic-regexp perl-regexp
    files-with-matches files-without-match ignore-case invert-match line-number line-regexp no-filename
    no-messages null only-matching quiet silent recursive dereference-recursive text with-filename word-regexp`,
  ),
  valued: toSet(
    `A B C D d e f m after-context before-context context include exclude exclude-dir max-count regexp file
    binary-files directories devices`,
  ),
};
const SYNTAX: Readonly<Record<string, Syntax>> = { rg: RG, grep: GREP };

/**
 * Reads the words behind the name of a search as the program does: what follows `-e` is a pattern,
 * even if it looks like an option. Undefined if one of its options isn't known.
 */
export function parseSearch(name: string, words: readonly ShellWord[]): SearchWords | undefined {
  const syntax = Object.hasOwn(SYNTAX, name) ? SYNTAX[name] : undefined;
  if (syntax === undefined) return undefined;
  const given = new Set<string>();
  const operands: string[] = [];
  const values = words.slice(1).map(({ value }) => value);
  for (let index = 0; index < values.length; index += 1) {
    const text = values[index] ?? '';
    if (text === '--') {
      operands.push(...values.slice(index + 1));
      break;
    }
    if (!/^-./s.test(text)) {
      operands.push(text);
      continue;
    }
    const taken = text.startsWith('--')
      ? readLong(text, syntax, given)
      : readLetters(text, syntax, given);
    if (taken === undefined) return undefined;
    index += taken;
  }
  return { has: (...names) => names.some((each) => given.has(each)), operands };
}

/** Returns how many further words the option takes; undefined: it isn't known. */
function readLong(text: string, { flags, valued }: Syntax, given: Set<string>): number | undefined {
  const [, name = '', value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(text) ?? [];
  given.add(name);
  if (name.length > 1 && valued.has(name)) return value === undefined ? 1 : 0;
  return name.length > 1 && flags.has(name) && value === undefined ? 0 : undefined;
}

function readLetters(
  text: string,
  { flags, valued }: Syntax,
  given: Set<string>,
): number | undefined {
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    given.add(letter);
    if (valued.has(letter)) return at === text.length - 1 ? 1 : 0;
    if (!flags.has(letter)) return undefined;
  }
  return 0;
}
