/**
 * Whether the title is the text, or its beginning followed by `…`. Runs of whitespace count as one
 * space. An invisible character is `\u{FFFD}` in a title and `␣U+200B` in a document; both count as equal.
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
