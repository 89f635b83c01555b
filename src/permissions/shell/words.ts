import type { Assignment, Word, WordPart } from 'unbash';
import type { ShellWord } from './acts.ts';

/** Made of these alone, a word is its own value and holds nothing. Almost every word is. */
const PLAIN = /^[\w./:=@,+-]*$/;

/** Whether the word needs no second look: to ask the parser for its parts costs far more than this. */
export function isPlainWord({ text }: Word): boolean {
  return PLAIN.test(text);
}

/** Quote removal: what the program would get, and whether that is certain. */
export function toShellWord(word: Word): ShellWord {
  if (isPlainWord(word)) return { value: word.text, literal: true };
  const { text, parts } = word;
  const plain = parts === undefined ? isPlainText(text) : parts.every(isLiteral);
  if (!text.startsWith('~')) return { value: plain ? word.value : text, literal: plain };
  // A quote up to the first slash keeps the tilde: `~"/x"` lies in the folder named `~`.
  const literal = plain && /^~[\w.+-]*(\/|$)/.test(text);
  return { value: literal ? word.value : text, literal, tilde: true };
}

/** `$[` without its `]`, or an operator in the middle of a word: an error to bash, text to the parser. */
function isPlainText(text: string): boolean {
  if (PLAIN.test(text)) return true;
  return !/[()<>;&|`]|\$(\\\n)*\[/.test(text.replace(/\\[^\n]/g, ''));
}

/** The word that a declaring builtin gets: `export A=b`. An array or an element of one is not literal. */
export function toAssignmentWord(item: Assignment): ShellWord {
  const { text, name, value, append, index } = item;
  if (value.type !== 'Word' || index !== undefined) return { value: text, literal: false };
  const word = toShellWord(value);
  const operator = append === true ? '+=' : '=';
  return word.literal
    ? { value: `${name}${operator}${word.value}`, literal: true }
    : { value: text, literal: false };
}

/** A word made by us from known text. */
export function literalWord(value: string): ShellWord {
  return { value, literal: true };
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return isPlainText(part.text);
    case 'SingleQuoted':
      return true;
    case 'AnsiCQuoted':
      // Bash reads `\x{72}` as `r`, which its manual does not say and the parser does not know.
      return !part.text.includes('\\x{');
    // A translated string is what a message catalogue says; unless nobody sets one, that is the text.
    case 'LocaleString':
    case 'DoubleQuoted':
      return part.parts.every(
        (inner) => inner.type === 'Literal' && !/\$(\\\n)*\[/.test(inner.text),
      );
    default:
      return false;
  }
}

/** Whether the text of a here-string begins arithmetic that never ends: an error to bash, text to the parser. */
export function hasOpenArithmetic({ text, parts }: Word): boolean {
  if (parts === undefined) return isOpen(text);
  return parts.some((part) => {
    if (part.type === 'Literal') return isOpen(part.text);
    if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return false;
    return part.parts.some((inner) => inner.type === 'Literal' && isOpen(inner.text));
  });
}

function isOpen(text: string): boolean {
  return /\$(\\\n)*\[/.test(text.replace(/\\[^\n]/g, ''));
}

/** Joined for matching: one space between words (corpus C3). */
export function joinWords(words: readonly ShellWord[]): string {
  return words.map((word) => word.value).join(' ');
}

/** The text that a shell would be given: what is not literal stays as written, without its outer quotes. */
export function toText({ value, literal }: ShellWord): string {
  return literal ? value : value.replace(/^"([\s\S]*)"$/, '$1');
}

/** The beginning of a long text, for a person. */
export function shorten(text: string): string {
  return text.replace(/^([\s\S]{60})[\s\S]+$/, '$1…');
}
