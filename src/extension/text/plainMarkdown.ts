/** A line that begins or ends a block of code. */
const FENCE = /^ {0,3}(?:`{3,}[^`\n]*|~{3,}[^\n]*)$\n?/gm;
/** Stands for a piece of code while the words around it are read. */
const CODE = '\0';
const LINK = /(?<![\w\]\\])\[([^[\]\n]{1,300})\]\(([^\s()]{1,1000})\)/g;
const ADDRESS = /<(https?:\/\/[^\s<>]{1,1000})>/g;
/** Around words: not in `src/**` or `2 ** 3`. */
const BOLD = /(?<![\p{L}\p{N}*])\*\*(?![\s*/.])([^*\n]{1,500}?)(?<![\s/])\*\*(?![\p{L}\p{N}*/])/gu;
const ESCAPE = /\\([*_`[\]#<>])/g;

/**
 * A text with Markdown as plain text, for a quick pick, an input box or a heading, which show it as it is
 * written. Code, bold words and links lose their marks; anything else stays.
 */
export function toPlainText(markdown: string): string {
  const text = markdown.replaceAll(CODE, '\ufffd').replace(FENCE, '').trimEnd();
  const { words, codes } = takeCode(text);
  const plain = words
    .replace(LINK, (_, label, target) => (label === target ? target : `${label} (${target})`))
    .replace(ADDRESS, '$1')
    .replace(BOLD, '$1')
    .replace(ESCAPE, '$1');
  return plain.split(CODE).reduce((all, part, at) => `${all}${codes[at - 1] ?? ''}${part}`);
}

/** The same in one line, for a row of a list. */
export function toPlainLine(markdown: string): string {
  return toPlainText(markdown).replace(/\s+/g, ' ').trim();
}

/** Takes the pieces of code out of a text. The time is linear in its length. */
function takeCode(text: string): { readonly words: string; readonly codes: readonly string[] } {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ run, index }));
  const closers = findClosers(runs.map(({ run }) => run.length));
  const codes: string[] = [];
  let words = '';
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const opener = runs[at];
    const end = closers[at];
    const closer = end === undefined ? undefined : runs[end];
    if (opener === undefined || end === undefined || closer === undefined) continue;
    if (text[opener.index - 1] === '\\') continue;
    words += `${text.slice(from, opener.index)}${CODE}`;
    codes.push(trimCode(text.slice(opener.index + opener.run.length, closer.index)));
    from = closer.index + closer.run.length;
    at = end;
  }
  return { words: words + text.slice(from), codes };
}

/** For each run of backticks the next one of its length, if there is one. */
function findClosers(lengths: readonly number[]): readonly (number | undefined)[] {
  const next = new Map<number, number>();
  const closers: (number | undefined)[] = [];
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = lengths[at] ?? 0;
    closers[at] = next.get(length);
    next.set(length, at);
  }
  return closers;
}

/** One space on both sides keeps a backtick at the edge apart from the marks. */
function trimCode(code: string): string {
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    ? code.slice(1, -1)
    : code;
}
