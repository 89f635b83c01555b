import { HIDDEN, toSign } from '../hidden.ts';

/** A part of what a command printed, as a card shows it. */
export interface OutputText {
  /** Plain text with SGR escapes (`␛[31m`), which only set colors and styles. */
  readonly text: string;
  /** There is more than `text`. */
  readonly cut: boolean;
}

/** The end of an output, from the start of a line if one is near. */
export function toOutputEnd(raw: string, limit: number): OutputText {
  const text = toOutputText(raw.slice(-limit * RAW_FACTOR)).trimEnd();
  if (text.length <= limit) return { text, cut: raw.length > limit * RAW_FACTOR };
  const start = findStart(text, text.length - limit);
  return { text: openStyles(text.slice(0, start)) + text.slice(start), cut: true };
}

/** The beginning of an output. */
export function toOutputStart(raw: string, limit: number): OutputText {
  const text = toOutputText(raw.slice(0, limit * RAW_FACTOR));
  const cut = raw.length > limit * RAW_FACTOR || text.length > limit;
  return { text: text.length > limit ? text.slice(0, findEnd(text, limit)) : text, cut };
}

/** Redrawn lines and escapes take characters that are not shown. */
const RAW_FACTOR = 8;

export const ESC = '\u001B';
const SGR_BODY = String.raw`\[[0-9;]*m`;
/** Terminal escapes, even unterminated, except those that only set colors and styles. */
export const ESCAPES = new RegExp(
  String.raw`${ESC}(?!${SGR_BODY}|\[[02]?K)(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)?` +
    String.raw`|[PX^_][^\u001B]*(?:\u001B\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)`,
  'g',
);
export const SGR = new RegExp(ESC + SGR_BODY, 'g');
const RESET = new RegExp(String.raw`^.*${ESC}\[0?m`, 's');
const CLEARED = new RegExp(String.raw`^.*${ESC}\[[02]?K`, 's');
const SHOWN = new RegExp(`${ESC}${SGR_BODY}|${HIDDEN}`, 'gu');

/**
 * Lines as a terminal would show them at the end, with colors. Hidden characters are written out,
 * because a program may print what a file or a server made it print.
 */
function toOutputText(raw: string): string {
  const lines = raw.replace(ESCAPES, '').split('\n').map(toLastState);
  return lines.join('\n').replace(SHOWN, (part) => {
    if (part === '\n' || part === '\t' || part.length > 2) return part;
    return /\p{Cc}/u.test(part) ? '' : toSign(part);
  });
}

/** What remains of a line that is drawn again and again, such as a progress bar. */
function toLastState(line: string): string {
  const drawn = dropReturns(line);
  const at = drawn.lastIndexOf('\r');
  const last = eraseBack(drawn.slice(at + 1));
  const before = at === -1 ? '' : openStyles(drawn.slice(0, at));
  // A clear erases what was drawn before it, even if nothing follows.
  return before + last.replace(CLEARED, (all) => openStyles(all));
}

/** Without the carriage returns at the end. A regular expression would take time with the square of their number. */
export function dropReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

/** Applies backspaces, by which spinners and old manuals are drawn. */
export function eraseBack(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}

/** The most styles that are carried over a cut; programs set few at a time. */
const MOST_STYLES = 8;

/** The styles that are set at the end of a text. */
function openStyles(text: string): string {
  if (!text.includes(ESC)) return '';
  return (text.replace(RESET, '').match(SGR) ?? []).slice(-MOST_STYLES).join('');
}

/** The next line's start, unless the line is very long; never inside of an escape or a character. */
function findStart(text: string, from: number): number {
  const line = text.indexOf('\n', from - 1) + 1;
  if (line > 0 && line - from <= (text.length - from) / 2) return line;
  const style = text.lastIndexOf(ESC, from - 1);
  const end = style === -1 ? 0 : text.indexOf('m', style) + 1;
  if (end > from) return end;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

function findEnd(text: string, limit: number): number {
  const style = text.lastIndexOf(ESC, limit - 1);
  if (style !== -1 && text.indexOf('m', style) >= limit) return style;
  return /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}
