/**
 * Whether the title is the text, or its beginning followed by `…`. Runs of whitespace count as one
 * space.
 */
export function isHeadOf(title: string, text: string): boolean {
  return plain(text).startsWith(plain(title).replace(/ ?…$/, ''));
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
