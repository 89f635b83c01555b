/**
 * Whether a title says no more than the text does: it is the text, or its beginning and `…`. Hidden
 * characters, which a title holds as `\u{FFFD}` and a text as `␣U+200B`, and blanks count as equal.
 */
export function isHeadOf(title: string, text: string): boolean {
  return plain(text).startsWith(plain(title).replace(/ ?…$/, ''));
}

function plain(text: string): string {
  return text
    .replace(/␣U\+[0-9A-F]{4,6}/g, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim();
}
