/** A text as the shell reads it after joining its lines. */
export interface Folded {
  /**
   * The text without its continuations. There are two if it ends with a lone backslash: `-c` keeps
   * it, files and standard input drop it.
   */
  readonly readings: readonly string[];
  /** Whether the shell may join the lines in another way. */
  readonly unsure: boolean;
}

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  /** `<<-`: leading tabs don't count. */
  readonly tabs: boolean;
}

interface Scan {
  readonly text: string;
  at: number;
  out: string;
  /** The open double quotes and parentheses, innermost last. */
  readonly open: ('"' | '(')[];
  /** Here-documents whose bodies start at the next newline. */
  pending: HereDocument[];
  /** A word may start here, so that `#` starts a comment. */
  fresh: boolean;
  /** A backslash is the last character. */
  lone: boolean;
  unsure: boolean;
}

/**
 * Removes each backslash with a newline behind it, as bash does before it looks for tokens: outside
 * quotes, in double quotes and in here-documents, but not in single quotes and comments.
 */
export function fold(text: string): Folded {
  if (!text.includes('\\\n') && !text.endsWith('\\')) return { readings: [text], unsure: false };
  const scan: Scan = {
    text,
    at: 0,
    out: '',
    open: [],
    pending: [],
    fresh: true,
    lone: false,
    unsure: false,
  };
  for (let char = peek(scan); char !== undefined; char = peek(scan)) {
    if (scan.open.at(-1) === '"') readInQuotes(char, scan);
    else readUnquoted(char, scan);
  }
  const { out, lone } = scan;
  // A pattern of `case` ends with a parenthesis that closes nothing.
  const nested = /\([\s\S]*\bcase\b/.test(out);
  return {
    readings: lone ? [`${out}\\`, out.slice(0, -1)] : [out],
    unsure: text.includes('\\\n') && (scan.unsure || nested),
  };
}

/** The next character, after any continuations. */
function peek(scan: Scan): string | undefined {
  while (scan.text.startsWith('\\\n', scan.at)) scan.at += 2;
  return scan.text[scan.at];
}

/** Copies the text up to `end`, as it is. */
function take(scan: Scan, end = scan.at + 1): string {
  const taken = scan.text.slice(scan.at, end);
  scan.out += taken;
  scan.at = end;
  scan.fresh = false;
  return taken;
}

function readUnquoted(char: string, scan: Scan): void {
  switch (char) {
    case '\\':
      takeEscaped(scan);
      return;
    case "'":
      takeUntil(scan, scan.at + 1, /'/g);
      return;
    case '"':
      take(scan);
      scan.open.push('"');
      return;
    case '$':
      readDollar(scan);
      return;
    case '`':
      scan.unsure = true;
      take(scan);
      return;
    case '#':
      if (scan.fresh) takeUntil(scan, scan.at, /(?=\n)/g);
      else take(scan);
      return;
    case '<':
      readLess(scan);
      return;
    default:
      readPlain(char, scan);
  }
}

function readPlain(char: string, scan: Scan): void {
  const before = scan.out.at(-1) ?? '';
  take(scan);
  if (char === '(') {
    // `((` may start arithmetic, and `@(` a pattern, in which `#` starts no comment.
    if (peek(scan) === '(' || /[?*+@!]/.test(before)) scan.unsure = true;
    openParenthesis(scan);
  } else if (char === ')') {
    if (scan.pending.length > 0) scan.unsure = true;
    scan.open.pop();
  } else if (char === '\n') {
    readBodies(scan);
  }
  scan.fresh = /[\s;&|()<>]/.test(char);
}

function openParenthesis(scan: Scan): void {
  if (scan.pending.length > 0) scan.unsure = true;
  scan.open.push('(');
  scan.fresh = true;
}

function readInQuotes(char: string, scan: Scan): void {
  if (char === '\\') takeEscaped(scan);
  else if (char === '$') readDollar(scan);
  else {
    if (char === '`') scan.unsure = true;
    take(scan);
    if (char === '"') scan.open.pop();
  }
}

/** A backslash and the character behind it, which isn't a newline. */
function takeEscaped(scan: Scan): void {
  if (scan.at + 1 === scan.text.length) scan.lone = true;
  take(scan, scan.at + 2);
}

/** Copies up to the end of the match; the quote isn't closed if there is none. */
function takeUntil(scan: Scan, from: number, end: RegExp): void {
  end.lastIndex = from;
  take(scan, end.test(scan.text) ? end.lastIndex : scan.text.length);
}

function readDollar(scan: Scan): void {
  const quoted = scan.open.at(-1) === '"';
  take(scan);
  switch (peek(scan)) {
    case '$':
      take(scan);
      return;
    case "'":
      if (!quoted) take(scan, findAnsiEnd(scan.text, scan.at + 1));
      return;
    case '(':
      take(scan);
      if (peek(scan) === '(') scan.unsure = true;
      openParenthesis(scan);
      return;
    case '{':
      // Anything else may contain quotes, which are read by other rules in here.
      if (!/^\{[^'"`\\\n$(){}]*\}/.test(scan.text.slice(scan.at, scan.at + 200)))
        scan.unsure = true;
      return;
    case '[':
      scan.unsure = true;
      return;
    default:
  }
}

/** The index behind the quote that ends `$'…'`. */
function findAnsiEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function readLess(scan: Scan): void {
  take(scan);
  scan.fresh = true;
  if (peek(scan) !== '<') return;
  take(scan);
  scan.fresh = true;
  // A here-string is an ordinary word.
  if (peek(scan) === '<') readPlain('<', scan);
  else scan.pending.push(readDelimiter(scan));
}

function readDelimiter(scan: Scan): HereDocument {
  const tabs = peek(scan) === '-';
  if (tabs) take(scan);
  while (/[ \t]/.test(peek(scan) ?? '')) take(scan);
  let delimiter = '';
  let quoted = false;
  for (let char = peek(scan); char !== undefined; char = peek(scan)) {
    if (/[\s;&|<>()]/.test(char)) break;
    // Written with an expansion, or with escapes in double quotes.
    if (/[$`]/.test(char)) scan.unsure = true;
    const written = /^(?:'([^']*)'|"([^"\\$`]*)"|\\([\s\S]))/.exec(scan.text.slice(scan.at));
    quoted ||= written !== null;
    if (written === null && /['"\\]/.test(char)) scan.unsure = true;
    delimiter += written === null ? char : (written[1] ?? written[2] ?? written[3] ?? '');
    take(scan, scan.at + (written?.[0].length ?? 1));
  }
  if (delimiter === '') scan.unsure = true;
  return { delimiter, quoted, tabs };
}

/** The bodies of the pending here-documents. Their lines are joined before the end is looked for. */
function readBodies(scan: Scan): void {
  const { pending } = scan;
  scan.pending = [];
  for (const { delimiter, quoted, tabs } of pending) {
    while (scan.at < scan.text.length) {
      const { line, joined } = readLine(scan, !quoted);
      const ends = (tabs ? line.replace(/^\t+/, '') : line) === delimiter;
      // Shells differ in what they compare then.
      if (joined && (ends || tabs)) scan.unsure = true;
      if (ends) break;
    }
  }
}

function readLine(scan: Scan, joins: boolean): { line: string; joined: boolean } {
  let line = '';
  let joined = false;
  for (;;) {
    const end = scan.text.indexOf('\n', scan.at);
    const part = scan.text.slice(scan.at, end === -1 ? undefined : end);
    scan.at = end === -1 ? scan.text.length : end + 1;
    const continued = joins && end !== -1 && /(?<!\\)(?:\\\\)*\\$/.test(part);
    line += continued ? part.slice(0, -1) : part;
    if (!continued) {
      scan.out += end === -1 ? line : `${line}\n`;
      return { line, joined };
    }
    joined = true;
  }
}
