/**
 * The names that a script's text gives to other files: every string that starts with `./` or `../`, whatever it is
 * used for, and every string that follows a word of an import. With escapes of strings and addresses decoded.
 */
export function* findImportNames(text: string): Generator<string> {
  for (const [name] of text.matchAll(RELATIVE)) yield decode(name);
  const skip = createSkip(text);
  for (const word of text.matchAll(WORD)) {
    STRING.lastIndex = skip(word.index + word[0].length);
    const name = STRING.exec(text)?.[1];
    if (name === undefined) continue;
    const decoded = decode(name);
    if (!decoded.startsWith('node:')) yield decoded;
  }
}

// Quotes are not paired, because one in a comment would hide the specifier behind it.
const RELATIVE = /(?<=['"`])\.\.?(?:[\\/](?:[^'"`\n]|\\\r?\n)*)?(?=['"`])/g;
const WORD = /\b(?:from|import|require|resolve)\b/g;
const STRING = /['"`]((?:[^'"`\n]|\\\r?\n)+)['"`]/y;

/**
 * A function that skips the spaces, parentheses and comments that may stand between the word of an import and the
 * name. A comment may hold the beginnings of others, so positions are kept: each part of the text is read once.
 */
function createSkip(text: string): (from: number) => number {
  const closings = [...text.matchAll(/\*\//g)].map(({ index }) => index);
  const lines = [...text.matchAll(/[\n\r\u2028\u2029]/g)].map(({ index }) => index);
  const known = new Map<number, number>();
  return (from) => {
    const passed: number[] = [];
    let at = from;
    for (;;) {
      SPACE.lastIndex = at;
      at = SPACE.test(text) ? SPACE.lastIndex : at;
      const isBlock = text.startsWith('/*', at);
      if (!isBlock && !text.startsWith('//', at)) break;
      const end = isBlock ? findNext(closings, at + 2) : findNext(lines, at + 2);
      if (end === undefined) break;
      at = isBlock ? end + 2 : end;
      const seen = known.get(at);
      passed.push(at);
      if (seen === undefined) continue;
      at = seen;
      break;
    }
    for (const each of passed) known.set(each, at);
    return at;
  };
}

const SPACE = /[\s(]+/y;

/** The first of the sorted positions that is not before `from`. */
function findNext(positions: readonly number[], from: number): number | undefined {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return positions[low];
}

/** Without a query, and with escapes of strings and addresses decoded. */
function decode(written: string): string {
  const plain = written
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/gi, (_, ...digits) =>
      String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(digits.find(Boolean), 16))),
    )
    .replace(/\\\r?\n/g, '')
    .replace(/\\(.)/g, '$1')
    .replace(/(?!^)[?#].*$/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
