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
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are what it looks for.
const WHOLE_ESCAPE =
  /\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-OQ-WYZ\\`-~])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are what it looks for.
const ESCAPES = new RegExp(WHOLE_ESCAPE.source, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const CONTROLS = /[\u0000-\u0006\u0007\u000B\u000C\u000E-\u001A\u001C-\u001F\u007F-\u009F]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colour escapes that stay.
const KEPT = /^\u001B\[[0-9;:]*[mK]$/;

function clean(text: string): string {
  return text
    .replace(ESCAPES, (escape) => (KEPT.test(escape) ? escape : ''))
    .replace(/\u001B(?!\[[0-9;:]*[mK])/g, '')
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
