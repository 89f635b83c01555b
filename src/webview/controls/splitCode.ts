interface Span {
  readonly text: string;
  readonly code: boolean;
}

/** A fence closes with as many backticks as it opened with; without an end it is text. */
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs;

/** The parts of a sentence, in order. */
export function splitCode(text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > at) spans.push({ text: text.slice(at, match.index), code: false });
    spans.push({ text: trimOne(match[2] ?? ''), code: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) spans.push({ text: text.slice(at), code: false });
  return spans;
}

/** The blanks beside the fence that keep a backtick of the text apart from it. */
function trimOne(text: string): string {
  const padded = text.length > 2 && text.startsWith(' ') && text.endsWith(' ');
  return padded && text.trim() !== '' ? text.slice(1, -1) : text;
}
