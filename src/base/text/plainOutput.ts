import { dropReturns, ESC, ESCAPES, eraseBack, SGR } from './outputText.ts';

/** An output without colors, as a document shows it. */
export function toPlainOutput(raw: string): string {
  const output = new PlainOutput();
  output.write(raw);
  return output.end();
}

/**
 * An output that comes in pieces, without colors: tens of megabytes at once would block who asks. Only
 * backspaces do not reach back to an earlier piece.
 */
export class PlainOutput {
  readonly #done: string[] = [];
  /** Where the line that is still open begins in `#done`. */
  #line = 0;
  /** The open line ends in a carriage return, so what follows is drawn over it. */
  #returned = false;
  /** The start of an escape that the last piece ended in. */
  #rest = '';
  /** What ends the text of the escape that the last piece ended in. */
  #until: RegExp | undefined;

  write(piece: string): void {
    const text = this.#toWholeEscapes(this.#rest + piece);
    text
      .replace(ESCAPES, '')
      .split('\n')
      .forEach((line, at) => {
        if (at > 0) this.#endLine();
        this.#extendLine(line);
      });
  }

  end(): string {
    return this.#done.join('');
  }

  /** Without what belongs to an escape whose end is yet to come. */
  #toWholeEscapes(piece: string): string {
    this.#rest = '';
    const text = this.#until === undefined ? piece : skipUntil(this.#until, piece);
    if (text === undefined) return '';
    this.#until = undefined;
    const last = text.lastIndexOf(ESC);
    const open = last === -1 ? null : OPEN.exec(text.slice(last));
    if (open === null) return text;
    if (open.groups?.['title'] !== undefined) this.#until = TITLE_END;
    else if (open.groups?.['string'] !== undefined) this.#until = STRING_END;
    else if (open[0].length < LONGEST_ESCAPE) this.#rest = open[0];
    return text.slice(0, last);
  }

  #endLine(): void {
    this.#done.push('\n');
    this.#line = this.#done.length;
    this.#returned = false;
  }

  /** Adds to the line what a terminal would show of it at the end. */
  #extendLine(part: string): void {
    const drawn = dropReturns(part);
    const last = drawn.slice(drawn.lastIndexOf('\r') + 1);
    const cleared = last.replace(CLEARED, '');
    const over = last.length < drawn.length || (this.#returned && drawn !== '');
    if (over || cleared.length < last.length) this.#done.length = this.#line;
    if (drawn !== '') this.#returned = false;
    if (drawn.length < part.length) this.#returned = true;
    this.#done.push(eraseBack(cleared).replace(SGR, '').replace(CONTROLS, ''));
  }
}

function skipUntil(end: RegExp, piece: string): string | undefined {
  const at = piece.search(end);
  return at === -1 ? undefined : piece.slice(piece[at] === BELL ? at + 1 : at);
}

/** An escape that goes on, or may do. */
const OPEN = new RegExp(
  String.raw`^${ESC}(?:(?<title>\][^\u0007\u001B]*)|(?<string>[PX^_][^\u001B]*)|\[[0-?]*[ -/]*|[ -/]*)$`,
);
const BELL = '\u0007';
const TITLE_END = new RegExp(`[${BELL}${ESC}]`);
const STRING_END = new RegExp(ESC);
/** A longer one means nothing to any terminal. */
const LONGEST_ESCAPE = 1024;
const CLEARED = new RegExp(String.raw`^.*${ESC}\[[02]?K`, 's');
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
