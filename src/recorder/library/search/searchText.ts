import { toRecord } from '../../../base/json.ts';
import { dataText } from '../../../base/stream/envelope.ts';
import type { SqlRow } from '../../file/database.ts';
import { optionalTextAt, recordAt } from '../../rows.ts';

/** Of what a call returned, so much of the beginning is searched. Characters. */
const OUTPUT_CHARACTERS = 4096;

/** What can be found of a stored part: texts, names of attachments, arguments and results of calls. */
export function toSearchText(row: SqlRow): string {
  const type = optionalTextAt(row, 'type') ?? '';
  const json = recordAt(row, 'data_json');
  if (type === 'text') {
    const { text, continues } = json;
    // A long text fills several rows, which may cut a word.
    return `${continues === undefined ? '\n' : ''}${typeof text === 'string' ? clean(text) : ''}`;
  }
  if (type === 'file') return `\n${clean(listStrings(toNames(json['data'])).join(' '))}`;
  if (!type.startsWith('tool-')) return '';
  const { input, output, error_text } = json;
  const { data, error_text: error } = toRecord(output);
  const result = (dataText(data) ?? '').slice(0, OUTPUT_CHARACTERS);
  return `\n${clean([...listStrings(input), result, ...listStrings([error_text, error])].join('\n'))}`;
}

function toNames(attachment: unknown): unknown {
  const { uri, name, title } = toRecord(attachment);
  return [uri, name, title];
}

/** The strings in a value, up to `OUTPUT_CHARACTERS` of each. */
function listStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value.slice(0, OUTPUT_CHARACTERS)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listStrings);
}

/** The index marks what it found with control characters. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ');
}

/**
 * A query of FTS5 for texts with all these words, or with words that begin so. Each word is a quoted
 * string, so none is syntax. Undefined for a query without a letter or digit.
 */
export function toMatch(query: string): string | undefined {
  const words = clean(query)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  if (words.length === 0) return undefined;
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' AND ');
}

export const MARK_START = '\u0002';
export const MARK_END = '\u0003';

const MARKS = new RegExp(`([${MARK_START}${MARK_END}])`);

/** Most characters of a snippet. Words can be of any length. */
const SNIPPET_CHARACTERS = 400;

export interface Snippet {
  readonly snippet: string;
  /** Start and end (exclusive) of what was found, in UTF-16 code units. */
  readonly marks: readonly (readonly [number, number])[];
}

/** A marked text on one line, cut around the first mark. */
export function toSnippet(marked: string): Snippet {
  const first = Math.max(0, marked.indexOf(MARK_START) - SNIPPET_CHARACTERS / 4);
  const cut = marked.slice(first, first + SNIPPET_CHARACTERS).replace(/\s/g, ' ');
  let snippet = '';
  const marks: (readonly [number, number])[] = [];
  let start: number | undefined;
  for (const piece of cut.split(MARKS)) {
    if (piece === MARK_START) start = snippet.length;
    else if (piece !== MARK_END) snippet += piece;
    else if (start !== undefined) {
      marks.push([start, snippet.length]);
      start = undefined;
    }
  }
  if (start !== undefined) marks.push([start, snippet.length]);
  return { snippet, marks };
}
