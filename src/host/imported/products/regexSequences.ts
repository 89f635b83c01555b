/** A part of what a regular expression matches. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  /** Any characters: what is there isn't followed in detail. */
  | { readonly kind: 'any'; readonly source: AnySource }
  | { readonly kind: 'start' | 'end' | 'boundary' };

/**
 * `all`: any text; `line`: any text without line breaks; `some`: a line of one character or more;
 * `space`, `spaces`: white space, of one character or more, or of none too; `other`: some text that is not
 * known.
 */
export type AnySource = 'all' | 'line' | 'some' | 'space' | 'spaces' | 'other';

export type Sequence = readonly Token[];

/** More alternatives than this are not followed. */
const MOST = 32;

/** Longer expressions are not read. */
const LONGEST = 1000;

/**
 * The alternatives of a regular expression as sequences. Each text that it matches has all tokens of one
 * of them in this order; with an `any` of `other` a sequence also fits other texts. Undefined if the
 * expression isn't understood, or has too many alternatives.
 */
export function toSequences(source: string, flags: string): readonly Sequence[] | undefined {
  if (source.length > LONGEST) return undefined;
  const reader = { source, at: 0, dotAll: flags.includes('s') };
  try {
    const read = readAlternatives(reader);
    return reader.at === source.length ? read.map(joinTexts) : undefined;
  } catch (fault) {
    if (fault instanceof NotUnderstood) return undefined;
    throw fault;
  }
}

class NotUnderstood extends Error {}

interface Reader {
  readonly source: string;
  at: number;
  readonly dotAll: boolean;
}

function readAlternatives(reader: Reader): readonly Sequence[] {
  const found: Sequence[] = [...readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    found.push(...readSequence(reader));
  }
  return limit(found);
}

function readSequence(reader: Reader): readonly Sequence[] {
  let found: readonly Sequence[] = [[]];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at] ?? '')) {
    const next = readQuantified(reader);
    found = limit(found.flatMap((head) => next.map((tail) => [...head, ...tail])));
  }
  return found;
}

function readQuantified(reader: Reader): readonly Sequence[] {
  const item = readItem(reader);
  const written = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(reader.source.slice(reader.at))?.[0];
  if (written === undefined) return isDot(item) ? [[OTHER]] : item;
  reader.at += written.length;
  if (reader.source[reader.at] === '?') reader.at += 1;
  if (written === '?') return limit([...item, []]);
  const [only] = item;
  const first = only?.[0];
  if (item.length === 1 && only?.length === 1 && first?.kind === 'any')
    return repeat(first, written);
  const optional = written === '*' || written.startsWith('{0');
  return optional ? [[], [OTHER]] : limit(item.map((each) => [...each, OTHER]));
}

/** `\s+` is white space, `.*` any text. */
function repeat(token: Token & { kind: 'any' }, written: string): readonly Sequence[] {
  const { source } = token;
  if (source === 'other' || !/^[*+]$/.test(written)) return [[], [OTHER]];
  if (source === 'space') return [[written === '+' ? token : { kind: 'any', source: 'spaces' }]];
  return [[written === '*' ? token : { kind: 'any', source: 'some' }]];
}

/** Whether the item is a `.`, which is one character if nothing repeats it. */
function isDot(item: readonly Sequence[]): boolean {
  const [token] = item[0] ?? [];
  const isText = token?.kind === 'any' && (token.source === 'all' || token.source === 'line');
  return item.length === 1 && item[0]?.length === 1 && isText;
}

const OTHER: Token = { kind: 'any', source: 'other' };

function readItem(reader: Reader): readonly Sequence[] {
  const char = reader.source[reader.at] ?? '';
  reader.at += 1;
  if (char === '^') return [[{ kind: 'start' }]];
  if (char === '$') return [[{ kind: 'end' }]];
  if (char === '.') return [[{ kind: 'any', source: reader.dotAll ? 'all' : 'line' }]];
  if (char === '(') return readGroup(reader);
  if (char === '[') return readClass(reader);
  if (char === '\\') return readEscape(reader);
  if (/[*+?{}]/.test(char)) throw new NotUnderstood();
  return [[{ kind: 'text', text: char }]];
}

function readGroup(reader: Reader): readonly Sequence[] {
  const head = /^\?(?::|<\w+>)/.exec(reader.source.slice(reader.at))?.[0] ?? '';
  // A condition on what precedes or follows isn't a part of its own.
  if (head === '' && reader.source[reader.at] === '?') throw new NotUnderstood();
  reader.at += head.length;
  const found = readAlternatives(reader);
  if (reader.source[reader.at] !== ')') throw new NotUnderstood();
  reader.at += 1;
  return found;
}

function readClass(reader: Reader): readonly Sequence[] {
  const text = /^(?:[^\]\\]|\\.)*\]/s.exec(reader.source.slice(reader.at))?.[0];
  if (text === undefined) throw new NotUnderstood();
  reader.at += text.length;
  const chars = text.slice(0, -1);
  const simple = /^[^\\^-]{1,8}$/.test(chars);
  return simple ? limit([...chars].map((each) => [{ kind: 'text', text: each }])) : [[OTHER]];
}

function readEscape(reader: Reader): readonly Sequence[] {
  const char = reader.source[reader.at] ?? '';
  reader.at += 1;
  if (char === 'b') return [[{ kind: 'boundary' }]];
  if (char === 's') return [[{ kind: 'any', source: 'space' }]];
  if (/[SwWdDBnrtfv]/.test(char)) return char === 'B' ? [[]] : [[OTHER]];
  if (/[A-Za-z0-9]/.test(char) || char === '') throw new NotUnderstood();
  return [[{ kind: 'text', text: char }]];
}

function limit(found: readonly Sequence[]): readonly Sequence[] {
  if (found.length > MOST) throw new NotUnderstood();
  return found;
}

function joinTexts(sequence: Sequence): Sequence {
  const joined: Token[] = [];
  for (const token of sequence) {
    const last = joined.at(-1);
    if (token.kind === 'text' && last?.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: last.text + token.text };
    } else joined.push(token);
  }
  return joined;
}
