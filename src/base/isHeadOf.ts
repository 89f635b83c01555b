/**
 * Whether the title is the text, or its beginning followed by `…`. Ignores whitespace and invisible
 * characters, which are written as `\u{FFFD}` in a title and as `␣U+200B` in a text.
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
