/** Text in which hidden and look-alike characters are visible. */
export interface VisibleText {
  readonly text: string;
  /** The text contains hidden or look-alike characters. */
  readonly suspicious: boolean;
}

const LONG_BLANK = / {24,}/g;
/**
 * Control, format and bidirectional characters, special spaces, line separators, variation
 * selectors, tags.
 */
const HIDDEN = new RegExp(
  String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]` +
    String.raw`|\u115F|\u1160|\u3164|\uFFA0|\u034F`,
  'gu',
);
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

/**
 * Replaces hidden characters by `␣U+200B` and long runs of spaces by `␣×4000`, and marks non-Latin
 * letters inside Latin words, so that the user sees what they approve.
 */
export function toVisible(raw: string): VisibleText {
  let suspicious = false;
  const flag = (character: string) => {
    suspicious = true;
    return `␣U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  };
  const text = raw
    .replace(HIDDEN, (character) =>
      character === '\n' || character === '\t' ? character : flag(character),
    )
    .replace(WORD, (word) => {
      if (!LATIN.test(word)) return word;
      return word.replace(LOOKALIKE, (letter) => `${letter}${flag(letter)}`);
    })
    .replace(LONG_BLANK, (blank) => {
      suspicious = true;
      return `␣×${blank.length}`;
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
