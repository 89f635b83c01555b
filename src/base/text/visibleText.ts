import { HIDDEN, INVISIBLE, toSign } from '../hidden.ts';

/** Text in which hidden and look-alike characters are visible. */
export interface VisibleText {
  readonly text: string;
  /** The text contains hidden or look-alike characters. */
  readonly suspicious: boolean;
}

/** What `toVisible` writes. */
const SIGN = String.raw`␣(?:U\+[0-9A-F]{4,6}|×\d+)`;
const LONG_BLANK = ' {24,}';
const WORD = String.raw`[[\p{L}\p{M}\p{N}_]--${INVISIBLE}]+`;
const PART = new RegExp(`${SIGN}|${HIDDEN}|${LONG_BLANK}|${WORD}`, 'gv');
const IS_WORD = new RegExp(`^${WORD}`, 'v');
/** Fast path: most texts are ASCII. */
const PLAIN = new RegExp(String.raw`^(?!.*${LONG_BLANK})[\x20-\x7e\n\t]*$`, 's');
const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

/**
 * Replaces hidden characters by `␣U+200B` and long runs of spaces by `␣×4000`, and marks non-Latin
 * letters inside Latin words, so that the user sees what they approve. A text that is visible
 * already doesn't change.
 */
export function toVisible(raw: string): VisibleText {
  if (PLAIN.test(raw)) return { text: raw, suspicious: false };
  let suspicious = false;
  const flag = (sign: string) => {
    suspicious = true;
    return sign;
  };
  const text = raw.replace(PART, (part: string, at: number) => {
    if (part === '\n' || part === '\t') return part;
    if (part.startsWith('␣')) return flag(part);
    if (part.startsWith(' ')) return flag(`␣×${part.length}`);
    if (!IS_WORD.test(part)) return flag(toSign(part));
    if (!LATIN.test(part)) return part;
    return part.replace(LOOKALIKE, (letter: string, index: number) => {
      const sign = flag(toSign(letter));
      const marked = raw.startsWith(sign, at + index + letter.length);
      return marked ? letter : `${letter}${sign}`;
    });
  });
  return { text, suspicious };
}

/** Terminal escapes, even unterminated: strings (OSC, DCS, …), control sequences and short ones. */
const ESCAPES = new RegExp(
  String.raw`\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?` +
    String.raw`|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)`,
  'g',
);
/** All control characters except tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Removes terminal escapes and control characters, to show output as plain text. */
export function stripEscapes(text: string): string {
  return text.replace(ESCAPES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** `toVisible` for a text on a line of its own: line breaks and tabs are signs too. */
export function toVisibleLine(raw: string): string {
  return toVisible(raw).text.replaceAll('\n', '⏎').replaceAll('\t', '⇥');
}
