import type { ShellWord } from '../acts.ts';

/**
 * Whether the program only prints or compares the word at the index, whatever it contains: for a
 * word that isn't literal but may be printed, or that names a pipe.
 */
export function isInertWord(name: string, words: readonly ShellWord[], index: number): boolean {
  const word = words[index];
  if (word?.pipe === true) return PIPE_READERS.has(name) && isPipeOperand(name, words, index);
  if (word?.names === true) return true;
  if (word?.printable === undefined) return false;
  if (PRINTERS.has(name)) return true;
  if (name === 'printf')
    return index > findFormat(words) && words[findFormat(words)]?.literal === true;
  if (name === 'exit' || name === 'return') return word.printable === 'word';
  return (name === 'test' || name === '[') && isPlainTest(name, words);
}

/** None of their words makes them do anything but print. */
const PRINTERS: ReadonlySet<string> = new Set([
  'echo',
  'true',
  'false',
  ':',
  'basename',
  'dirname',
]);

/** A word before the format may be `-v`. */
function findFormat(words: readonly ShellWord[]): number {
  return words[1]?.value === '--' ? 2 : 1;
}

const UNARY = /^-[abcdefghkLnOGNprsStuwxz]$/;
const BINARY = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/**
 * Whether the operators are literal and in their places: `[ -n W ]`, `[ W = W ]`, `[ W ]`, and these
 * behind `!`. In longer tests a value may become an operator, and `-v` evaluates subscripts.
 */
function isPlainTest(name: string, words: readonly ShellWord[]): boolean {
  const end = name === '[' && words.at(-1)?.value === ']' ? words.length - 1 : words.length;
  const given = words.slice(1, end);
  if (given.some(({ literal, printable }) => !literal && printable !== 'word')) return false;
  const plain = given[0]?.literal === true && given[0].value === '!' ? given.slice(1) : given;
  const [first, second] = plain;
  if (plain.length === 1) return true;
  if (plain.length === 2) return first?.literal === true && UNARY.test(first.value);
  return plain.length === 3 && second?.literal === true && BINARY.test(second.value);
}

/** Programs that only read the pipes among their operands. */
const PIPE_READERS: ReadonlySet<string> = new Set(
  `cat tac nl rev head tail wc cut paste fold fmt expand column od cmp comm diff join sort grep egrep fgrep
  md5sum sha1sum sha256sum sha512sum`.split(/\s+/),
);

/** Whether the word before isn't an option that may take it, such as `sort -T <(x)`. */
function isPipeOperand(name: string, words: readonly ShellWord[], index: number): boolean {
  const before = words[index - 1];
  if (index === 1 || before?.pipe === true) return true;
  if (before?.literal !== true) return false;
  if (/^(?:grep|egrep|fgrep)$/.test(name) && before.value === '-f') return true;
  return !/^-./.test(before.value) || PLAIN_OPTIONS.test(before.value);
}

/** Options without a value, in all of these programs. */
const PLAIN_OPTIONS = /^(?:-[ubiqlrzvhE]+|-[123]+|--)$/;
