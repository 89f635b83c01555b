/**
 * Characters that are invisible, or that display in another order than they are read
 * (CVE-2021-42574), as a class of a regular expression with the flag `u` or `v`.
 */
export const INVISIBLE =
  String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0\uFFFC-\uFFFF` +
  String.raw`\u034F\u17B4\u17B5\u180B-\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`;

/** These, halves of a character, and all white space but the plain blank. */
export const HIDDEN = String.raw`${INVISIBLE}|\p{Cs}|(?! )\p{Zs}`;

/** Joiners are parts of emoji and of some languages. */
const REMOVED = new RegExp(`(?![\\u200C\\u200D\\uFE0F])(?:${HIDDEN})`, 'gu');

/** The text without what hides words from its reader; white space stays. */
export function withoutInvisible(text: string): string {
  return text.replace(REMOVED, (character) => (/\s/.test(character) ? character : ''));
}

/** `␣U+200B` */
export function toSign(character: string): string {
  return `␣U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** Replaces hidden characters by `␣U+200B`, line breaks by `⏎`, and tabs by `⇥`. */
export function showHidden(text: string): string {
  return text.replace(ALL_HIDDEN, (character) => {
    if (character === '\n') return '⏎';
    return character === '\t' ? '⇥' : toSign(character);
  });
}

/** The first units of the text, and "…" if that is not all. Never ends with half of a character. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
