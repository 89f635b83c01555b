import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Span } from '../../../diff/span.ts';
import { checkText, lineEndByte, mainLineEnd, withLineEnds } from './lineEnds.ts';

export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface FoundText {
  readonly spans: readonly Span[];
  /** The match differs from `old_string` in whitespace. */
  readonly inexact: boolean;
}

/**
 * Finds the text: an exact match, else the only place where it differs in whitespace alone. Fuzzier
 * matching could replace the wrong text, so anything else is an error with a hint (spec CR-3).
 */
export function findSpans(utf8: Buffer, wanted: Replacement): Outcome<FoundText> {
  const { old_string: oldText, new_string: newText, replace_all: all = false } = wanted;
  if (oldText === '') return failure('old_string is empty. Use write to fill an empty file.');
  if (oldText === newText)
    return failure('old_string and new_string are identical. Nothing was changed.');
  const fit = checkText(newText);
  if (!fit.ok) return fit;

  const needle = Buffer.from(oldText);
  // Overlapping matches count separately: either could be meant.
  const folders = all
    ? findAll(utf8, needle, needle.length, Infinity)
    : findAll(utf8, needle, 1, AMBIGUITY_LIMIT);
  if (folders.length > 1 && !all) return failure(ambiguous(utf8, folders));
  if (folders.length > 0) {
    const spans = folders.map((start) => {
      const end = start + needle.length;
      return { start, end, text: oldText.includes('\n') ? newText : fittedAt(utf8, end, newText) };
    });
    return success({ spans, inexact: false });
  }
  return findByWhiteSpace(utf8, wanted);
}

/** Counting stops at this many matches. */
const AMBIGUITY_LIMIT = 1000;

function findAll(utf8: Buffer, needle: Buffer, step: number, limit: number): readonly number[] {
  const folders: number[] = [];
  for (let at = utf8.indexOf(needle); at >= 0; at = utf8.indexOf(needle, at + step)) {
    folders.push(at);
    if (folders.length >= limit) break;
  }
  return folders;
}

/** Gives new lines the line end of the line at `at`, unless the text has a CR of its own. */
function fittedAt(utf8: Buffer, at: number, text: string): string {
  if (!text.includes('\n')) return text;
  if (lineEndByte(utf8) === 13) return withLineEnds(text, '\r');
  const behind = utf8.indexOf(10, at);
  const end = behind < 0 ? utf8.lastIndexOf(10) : behind;
  return withLineEnds(text, end > 0 && utf8[end - 1] === 13 ? '\r\n' : '\n');
}

function ambiguous(utf8: Buffer, folders: readonly number[]): string {
  const lines = folders.slice(0, 5).map((offset) => lineNumber(utf8, offset));
  const count = folders.length >= AMBIGUITY_LIMIT ? `${AMBIGUITY_LIMIT} or more` : folders.length;
  return `old_string occurs ${count} times (lines ${lines.join(', ')}${folders.length > 5 ? ', …' : ''}). Include more surrounding lines to make it unique, or set replace_all. Nothing was changed.`;
}

interface Line {
  /** Byte positions, without the line end. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Compares lines without leading and trailing whitespace, and with each run of whitespace as one blank. */
function findByWhiteSpace(utf8: Buffer, wanted: Replacement): Outcome<FoundText> {
  const lines = splitLines(utf8);
  const asked = wanted.old_string.replace(/\r?\n$/, '').split('\n');
  const keys = asked.map(normalised);
  if (keys.every((key) => key === '')) return failure(notFound(lines, keys));
  const matches: number[] = [];
  for (let at = 0; at + keys.length <= lines.length; at += 1) {
    if (keys.every((key, index) => normalised(lines[at + index]?.text ?? '') === key)) {
      matches.push(at);
    }
  }
  const [match] = matches;
  if (match === undefined) return failure(notFound(lines, keys));
  if (matches.length > 1) {
    const shown = matches.slice(0, 5).map((line) => line + 1);
    return failure(
      `old_string is not in the file exactly as written; ignoring whitespace, it matches ${matches.length} times (lines ${shown.join(', ')}). Copy it exactly, with enough surrounding lines. Nothing was changed.`,
    );
  }
  const first = lines[match];
  const last = lines[match + keys.length - 1];
  if (first === undefined || last === undefined) return failure(notFound(lines, keys));
  const text = reindented(wanted, first.text, asked[0] ?? '');
  const around = utf8.subarray(Math.max(0, first.start - 4096), last.end + 4096);
  const lineEnd = mainLineEnd(utf8, around);
  // An old_string that ends in a line end also replaces that line end.
  const after = wanted.old_string.endsWith('\n') ? lines[match + keys.length] : undefined;
  const span = { start: first.start, end: after?.start ?? last.end };
  return success({ spans: [{ ...span, text: withLineEnds(text, lineEnd) }], inexact: true });
}

function normalised(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** Adapts the new text to the file's indentation, if old and new text share theirs. */
function reindented({ new_string: text }: Replacement, actual: string, asked: string): string {
  const have = /^[ \t]*/.exec(actual)?.[0] ?? '';
  const said = /^[ \t]*/.exec(asked)?.[0] ?? '';
  const lines = text.split('\n');
  if (have === said || !lines.every((line) => line.trim() === '' || line.startsWith(said))) {
    return text;
  }
  return lines
    .map((line) => (line.trim() === '' ? line : have + line.slice(said.length)))
    .join('\n');
}

/** An error with the most similar lines, so that the model can copy them. */
function notFound(lines: readonly Line[], keys: readonly string[]): string {
  const anchor = keys.reduce((longest, key) => (key.length > longest.length ? key : longest), '');
  const offset = keys.indexOf(anchor);
  const best = lines.slice(0, SCAN_LINES).reduce(
    (nearest, line, index) => {
      const score = likeness(normalised(line.text), anchor);
      return score > nearest.score ? { score, index } : nearest;
    },
    { score: 0, index: -1 },
  );
  const hint = 'old_string is not in the file. Nothing was changed.';
  if (best.score < 0.4)
    return `${hint} Read the file again: its content differs from what you expect.`;
  const from = Math.max(0, best.index - offset - 1);
  const near = lines.slice(from, from + Math.min(keys.length + 2, 20));
  const shown = near.map(({ text }, index) => `${from + index + 1}\t${text.slice(0, 300)}`);
  return `${hint} The nearest lines are:\n${shown.join('\n')}\nCopy the text from these lines.`;
}

const SCAN_LINES = 50_000;

/** Share of common character pairs, from 0 to 1. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Set<string>();
  for (let at = 0; at < a.length - 1; at += 1) pairs.add(a.slice(at, at + 2));
  let common = 0;
  let total = 0;
  for (let at = 0; at < Math.min(b.length - 1, 400); at += 1) {
    total += 1;
    if (pairs.has(b.slice(at, at + 2))) common += 1;
  }
  return (common / total) * Math.min(1, (b.length + 8) / (a.length + 1));
}

function splitLines(utf8: Buffer): readonly Line[] {
  const lines: Line[] = [];
  const byte = lineEndByte(utf8);
  for (let start = 0; start <= utf8.length; ) {
    const found = utf8.indexOf(byte, start);
    const next = found < 0 ? utf8.length : found;
    const paired = byte === 10 && next > start && utf8[next - 1] === 13;
    const end = paired ? next - 1 : next;
    lines.push({ start, end, text: utf8.toString('utf8', start, end) });
    start = next + 1;
  }
  return lines;
}

function lineNumber(utf8: Buffer, at: number): number {
  let line = 1;
  const byte = lineEndByte(utf8);
  for (let next = utf8.indexOf(byte); next >= 0 && next < at; next = utf8.indexOf(byte, next + 1)) {
    line += 1;
  }
  return line;
}
