import type { GrepQuery, GrepRow } from '../searchQuery.ts';
import { cutUtf8 } from '../text.ts';

/** Bytes of a line that are returned. */
const LINE_BYTES = 500;

/**
 * Parses a row of `--null` output: `path NUL line (: or -) text`, `path NUL count`, or the path
 * alone.
 */
export function parseRow(bytes: Buffer, output: GrepQuery['output']): GrepRow | undefined {
  if (output === 'files') return { path: bytes.toString('utf8'), line: 0, text: '' };
  const name = bytes.indexOf(0);
  if (name < 0) return undefined;
  const path = bytes.toString('utf8', 0, name);
  const rest = bytes.subarray(name + 1);
  if (output === 'count') return { path, line: 0, text: rest.toString('utf8') };

  let digits = 0;
  while (isDigit(rest[digits])) digits += 1;
  const context = rest[digits] === 45;
  if (digits === 0 || (!context && rest[digits] !== 58)) return undefined;
  const line = Number(rest.toString('latin1', 0, digits));
  return { path, line, text: toRowText(rest.subarray(digits + 1)), ...(context && { context }) };
}

/**
 * Joins rows of a file name that contains line breaks: all but the last lack the NUL that ends the
 * name. Returns undefined until the name is complete, and for rows that belong to no file.
 */
export function createRowJoiner(): (bytes: Buffer) => Buffer | undefined {
  let torn: Buffer | undefined;
  return (bytes) => {
    const row = torn === undefined ? bytes : Buffer.concat([torn, NEWLINE, bytes]);
    torn = undefined;
    if (row.includes(0)) return row;
    if (!isMessage(row)) torn = row;
    return undefined;
  };
}

const NEWLINE = Buffer.from('\n');

/** The separator between context groups, or the message about a binary file. */
function isMessage(row: Buffer): boolean {
  const text = row.toString('latin1');
  return text === '--' || /binary file matches \(found .*\)$/.test(text);
}

/** The part of a line that is returned. */
export function toRowText(bytes: Buffer): string {
  const cut = cutUtf8(bytes, LINE_BYTES);
  const text = cut.toString('utf8').replace(/\r$/, '');
  return cut.length < bytes.length ? `${text}…` : text;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
