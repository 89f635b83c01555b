import { failure, type Outcome, success } from '../../base/outcome.ts';
import { findLineEnd, splitLines } from '../../diff/lines.ts';
import type { PatchHunk, PatchLine } from './parsePatch.ts';

/**
 * Applies the hunks of one file. Every old line must be there exactly, except for a CR at its end; a
 * hunk may stand at another line than it says, if its lines are there only once. Lines outside the
 * changes keep their bytes, and new lines get the line end of the line before them. The error shows the lines that
 * were found instead.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[]): Outcome<string> {
  const lines = splitLines(text, findLineEnd(text));
  const result: string[] = [];
  // How far the file's lines are from where the patch says, by the hunks so far.
  let shift = 0;
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const wanted = Math.max(0, hunk.oldStart - 1) + shift;
    const found = locate(lines, hunk, wanted, done);
    if (!found.ok) return failure(`Hunk ${index + 1} ${found.error}`);
    const at = found.data;
    shift += at - wanted;
    result.push(...lines.slice(done, at), ...replace(lines, hunk, at));
    done = at + hunk.oldLines.length;
  }
  const all = [...result, ...lines.slice(done)];
  const open = all.findIndex((line, at) => at < all.length - 1 && !LINE_END.test(line));
  if (open < 0) return success(all.join(''));
  return failure(
    `Line ${open + 1} of the result has no line end, but is not the last one. Correct the "\\ No newline at end of file" markers.`,
  );
}

const LINE_END = /\r?\n$|\r$/;

function locate(
  lines: readonly string[],
  hunk: PatchHunk,
  wanted: number,
  from: number,
): Outcome<number> {
  const { oldLines } = hunk;
  if (wanted >= from && matches(lines, oldLines, wanted)) return success(wanted);
  const positions: number[] = [];
  // Without old lines there is nothing to search for.
  for (let at = from; oldLines.length > 0 && at + oldLines.length <= lines.length; at += 1) {
    if (matches(lines, oldLines, at)) positions.push(at);
  }
  const [only] = positions;
  if (only !== undefined && positions.length === 1) return success(only);
  if (positions.length > 1) {
    const shown = positions.slice(0, 5).map((at) => at + 1);
    return failure(
      `does not match at line ${wanted + 1}, but at ${positions.length} other lines (${shown.join(', ')}). Correct its line number or add context lines.`,
    );
  }
  return failure(describeMismatch(lines, oldLines, wanted));
}

function matches(lines: readonly string[], wanted: readonly PatchLine[], at: number): boolean {
  if (at < 0 || at + wanted.length > lines.length) return false;
  return wanted.every((line, index) => isSame(lines[at + index], line));
}

/** A line without a line end matches only the marker "\ No newline at end of file". */
function isSame(line: string | undefined, { text, ends }: PatchLine): boolean {
  if (line === undefined || ends === /[\r\n]$/.test(line)) return false;
  const bare = withoutLineEnd(line);
  return bare === text || bare === text.replace(/\r$/, '');
}

function replace(lines: readonly string[], hunk: PatchHunk, at: number): readonly string[] {
  // Context lines are in both sides, in the same order.
  const kept = hunk.oldLines.flatMap((line, index) => (line.kept ? [lines[at + index] ?? ''] : []));
  let lineEnd = findEnd(lines, at);
  return hunk.newLines.map((line) => {
    if (line.kept) {
      const own = kept.shift() ?? line.text;
      lineEnd = LINE_END.exec(own)?.[0] ?? lineEnd;
      return own;
    }
    return line.ends ? line.text : withLineEnd(line.text, lineEnd);
  });
}

/** A patch of a file with CRLF line ends may have them too. */
function withLineEnd(text: string, lineEnd: string): string {
  return lineEnd === '\r\n' ? `${text.replace(/\r$/, '')}\r\n` : `${text}${lineEnd}`;
}

/** The line end of the lines at and before `at`, or of the first line. */
function findEnd(lines: readonly string[], at: number): string {
  const near = lines[at] ?? lines[at - 1] ?? lines[0] ?? '';
  return LINE_END.exec(near)?.[0] ?? LINE_END.exec(lines[0] ?? '')?.[0] ?? '\n';
}

function withoutLineEnd(line: string): string {
  return line.replace(LINE_END, '');
}

function describeMismatch(
  lines: readonly string[],
  wanted: readonly PatchLine[],
  at: number,
): string {
  if (wanted.length === 0)
    return `inserts after line ${at}, but the file has ${lines.length} lines.`;
  const bad = wanted.findIndex((line, index) => !isSame(lines[at + index], line));
  const line = at + bad;
  const found = lines[line];
  const expected = wanted[bad]?.text ?? '';
  const where = `does not match: line ${line + 1} should be ${quote(expected)}`;
  if (found === undefined) return `${where}, but the file has ${lines.length} lines.`;
  const bare = withoutLineEnd(found);
  if (bare === expected.replace(/\r$/, '')) {
    const has = /[\r\n]$/.test(found) ? 'a' : 'no';
    return `${where}, and it is, but it has ${has} line end. Correct the "\\ No newline at end of file" marker.`;
  }
  return `${where}, but it is ${quote(bare)}. Read the file and make the patch again.`;
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()}…`);
}
