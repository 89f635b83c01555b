/**
 * Filters terminal output. Only colors, line ends and simple line redraws pass; clipboard access
 * (OSC 52), hidden links (OSC 8), titles and cursor movement are removed.
 */
export class TerminalFilter {
  #rest = '';

  /** Filters a chunk of output. An incomplete escape at the end is kept for the next chunk. */
  push(data: string): string {
    const text = this.#rest + data;
    const cut = openEscape(text);
    this.#rest = cut === -1 ? '' : text.slice(cut);
    return clean(cut === -1 ? text : text.slice(0, cut));
  }
}

const ESC = '\u001B';
/** Maximum length of an escape. Longer ones are treated as text, without the introducer. */
const LONGEST_ESCAPE = 4_096;
const STRINGS = String.raw`\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\`;
const SEQUENCES = String.raw`\[[0-?]*[ -/]*[@-~]|[ -/]*[0-OQ-WYZ\\\x60-~]`;
const WHOLE_ESCAPE = new RegExp(`${ESC}(?:${STRINGS}|${SEQUENCES})`, 'y');
const ESCAPES = new RegExp(WHOLE_ESCAPE.source, 'g');
/** The allowed escapes: colors and "clear to the end of the line". */
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

/** The offset of an incomplete escape at the end of the text, or -1. */
function openEscape(text: string): number {
  const start = text.lastIndexOf(ESC);
  if (start === -1 || text.length - start > LONGEST_ESCAPE) return -1;
  // An OSC string's terminator also begins with ESC, so search from the start of the string.
  const string = text.lastIndexOf(`${ESC}]`, start);
  for (const at of string === -1 ? [start] : [string, start]) {
    WHOLE_ESCAPE.lastIndex = at;
    if (!WHOLE_ESCAPE.test(text)) return at;
  }
  return -1;
}
