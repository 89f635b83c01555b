/**
 * Lets colours, line ends and simple line redraws through to a pane, and nothing else: no clipboard
 * (OSC 52), no hidden links (OSC 8), no titles, no cursor games (MCP-083).
 */
export class TerminalFilter {
  #rest = '';

  /** Filters one piece of a stream; an escape that is cut by the end of the piece waits for the next. */
  push(data: string): string {
    const text = this.#rest + data;
    const cut = openEscape(text);
    this.#rest = cut === -1 ? '' : text.slice(cut);
    return clean(cut === -1 ? text : text.slice(0, cut));
  }
}

const ESC = '\u001B';
/** An escape longer than this is not one; it is dropped with its introducer. */
const LONGEST_ESCAPE = 4_096;
const STRINGS = String.raw`\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\`;
const SEQUENCES = String.raw`\[[0-?]*[ -/]*[@-~]|[ -/]*[0-OQ-WYZ\\\x60-~]`;
const WHOLE_ESCAPE = new RegExp(`${ESC}(?:${STRINGS}|${SEQUENCES})`, 'y');
const ESCAPES = new RegExp(WHOLE_ESCAPE.source, 'g');
/** Colours and "clear to the end of the line": what stays. */
const KEPT = String.raw`\[[0-9;:]*[mK]`;
const WHOLE_KEPT = new RegExp(`^${ESC}${KEPT}$`);
const STRAY = new RegExp(`${ESC}(?!${KEPT})`, 'g');
const CONTROLS = new RegExp(`(?![\\t\\n\\r\\b${ESC}])\\p{Cc}`, 'gu');

function clean(text: string): string {
  return text
    .replace(ESCAPES, (escapeText) => (WHOLE_KEPT.test(escapeText) ? escapeText : ''))
    .replace(STRAY, '')
    .replace(CONTROLS, '')
    .replace(/\r?\n/g, '\r\n');
}

/** Where an unfinished escape at the end of the text begins, or -1. */
function openEscape(text: string): number {
  const start = text.lastIndexOf(ESC);
  if (start === -1 || text.length - start > LONGEST_ESCAPE) return -1;
  // The terminator of an OSC string begins with ESC too: look from the string's own start.
  const string = text.lastIndexOf(`${ESC}]`, start);
  for (const at of string === -1 ? [start] : [string, start]) {
    WHOLE_ESCAPE.lastIndex = at;
    if (!WHOLE_ESCAPE.test(text)) return at;
  }
  return -1;
}
