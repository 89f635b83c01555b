import type { Assignment, Word, WordPart } from 'unbash';
import type { ShellWord } from './acts.ts';

/** Words of only these characters are literal. Almost every word is. */
const PLAIN = /^[\w./:=@,+-]*$/;

/** Whether the word is plainly literal. Much cheaper than asking the parser for its parts. */
export function isPlainWord({ text }: Word): boolean {
  return PLAIN.test(text);
}

/** Removes quotes: the value that the program receives, and whether it is certain. */
export function toShellWord(word: Word): ShellWord {
  if (isPlainWord(word)) return { value: word.text, literal: true };
  const { text, parts } = word;
  const plain =
    (parts === undefined ? isPlainText(text) : parts.every(isLiteralPart)) && !mayBeList(text);
  if (!mayReplaceTilde(text)) return { value: plain ? word.value : text, literal: plain };
  // A quote before the first slash prevents tilde expansion: `~"/x"` is in a folder named `~`.
  const literal = plain && (!text.startsWith('~') || /^~[\w.+-]*(\/|$)/.test(text));
  return { value: literal ? word.value : text, literal, tilde: true };
}

/**
 * Whether the shell may replace a `~` of the text as written: at its start, and behind `=` and `:` in what
 * looks like an assignment, as in `dd if=~/x`.
 */
export function mayReplaceTilde(text: string): boolean {
  return text.startsWith('~') || (text.includes('~') && ASSIGNED_TILDE.test(text));
}

const ASSIGNED_TILDE = /^[A-Za-z_]\w*(?:\[[\s\S]*\])?\+?=(?:[\s\S]*:)?~/;

/** Quotes, and characters behind a backslash, in which braces and commas mean nothing. */
const QUOTED = /\\[\s\S]|\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;

/**
 * Whether bash may read a list in braces. It looks for a brace that closes the list behind its first
 * comma, and the parser for the first one: `{}a,b}` is `}a b`.
 */
export function mayBeList(text: string): boolean {
  if (!text.includes('{') || !text.includes(',')) return false;
  const bare = text.replace(QUOTED, '_');
  const comma = bare.indexOf(',', bare.indexOf('{') + 1);
  return bare.includes('{') && comma >= 0 && bare.includes('}', comma);
}

/**
 * Whether the text contains no `$[` without `]`, and no operator inside a word. Bash reports an
 * error for these; the parser treats them as text.
 */
function isPlainText(text: string): boolean {
  if (PLAIN.test(text)) return true;
  return !/[()<>;&|`]|\$\[/.test(text.replace(/\\[^\n]/g, ''));
}

/**
 * The word that a declaration builtin receives: `export A=b`. Arrays and their elements aren't
 * literal.
 */
export function toAssignmentWord(item: Assignment): ShellWord {
  const { text, name, value, append, index } = item;
  if (value.type !== 'Word' || index !== undefined) return { value: text, literal: false };
  const word = toShellWord(value);
  const operator = append === true ? '+=' : '=';
  if (!word.literal) return { value: text, literal: false };
  const tilde = word.tilde === true || value.text.includes(':~');
  const own = { value: `${name}${operator}${word.value}`, literal: true };
  return tilde ? { ...own, tilde } : own;
}

/** Whether a match of the glob may start with a dash, as an option does. */
export function isFreeGlob(glob: string): boolean {
  return /^[*?[{]/.test(glob);
}

/**
 * The words of a program that only prints them that a glob matches. A listing may be denied, too, so
 * they are decided as if they were read: `echo keys/*`.
 */
export function findPrintedGlobs(name: string, words: readonly ShellWord[]): readonly number[] {
  if (!/^(?:echo|printf|basename|dirname)$/.test(name)) return [];
  const first = name === 'printf' ? 2 : 1;
  return [...words.keys()].filter((at) => at >= first && words[at]?.glob !== undefined);
}

/** Creates a word from known text. */
export function literalWord(value: string): ShellWord {
  return { value, literal: true };
}

/** Whether the shell passes the part's value exactly. */
export function isLiteralPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return isPlainText(part.text);
    case 'SingleQuoted':
      return true;
    case 'AnsiCQuoted':
      // Bash reads `\x{72}` as `r`, which is undocumented, and keeps a backslash before a newline.
      return !/\\x\{|\\\n/.test(part.text);
    // A message catalog may translate this string. Without one it is the text itself.
    case 'LocaleString':
    case 'DoubleQuoted':
      return part.parts.every((inner) => inner.type === 'Literal' && !/\$\[/.test(inner.text));
    default:
      return false;
  }
}

/**
 * Whether the text of a here-string starts arithmetic that never ends. Bash reports an error; the
 * parser treats it as text.
 */
export function hasOpenArithmetic({ text, parts }: Word): boolean {
  if (parts === undefined) return isOpen(text);
  return parts.some((part) => {
    if (part.type === 'Literal') return isOpen(part.text);
    if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return false;
    return part.parts.some((inner) => inner.type === 'Literal' && isOpen(inner.text));
  });
}

function isOpen(text: string): boolean {
  return /\$\[/.test(text.replace(/\\[^\n]/g, ''));
}

/** Joins words with one space, for matching (corpus C3). */
export function joinWords(words: readonly ShellWord[]): string {
  return words.map((word) => word.value).join(' ');
}

/**
 * The text that a nested shell receives. Text that isn't literal stays as written, without its
 * outer quotes.
 */
export function toText({ value, literal }: ShellWord): string {
  return literal ? value : value.replace(/^"([\s\S]*)"$/, '$1');
}

/** Quotes a word if it needs it, for a shell and for a pattern that matches exactly this word. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
