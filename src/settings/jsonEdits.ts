import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser';

/** A replacement in the text of a file. */
export interface JsonEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Makes edits that don't overlap. Those at one offset come in the order of the list. */
export function applyJsonEdits(text: string, edits: readonly JsonEdit[]): string {
  let done = 0;
  let result = '';
  for (const edit of edits.toSorted((a, b) => a.offset - b.offset)) {
    result += text.slice(done, edit.offset) + edit.text;
    done = edit.offset + edit.length;
  }
  return result + text.slice(done);
}

/** Writes children of an array or object, behind so much white space or, without, on one line. */
export type WriteChildren = (indent: string | undefined) => string;

/**
 * Appends to an array or object. Everything else stays as it is: a comment behind the last child stays on
 * that child's line.
 */
export function appendChildren(
  text: string,
  parent: Node,
  write: WriteChildren,
): readonly JsonEdit[] {
  const last = parent.children?.at(-1);
  if (last === undefined) return fillEmpty(text, parent, write);
  const end = last.offset + last.length;
  const comma = findComma(text, end);
  const { commentsEnd, lineEnd } = readLineTail(text, comma === undefined ? end : comma + 1);
  const separator = { offset: end, length: 0, text: comma === undefined ? ',' : '' };
  if (lineEnd === undefined)
    return [separator, { offset: commentsEnd, length: 0, text: ` ${write(undefined)}` }];
  const indent = readIndent(text, last.offset);
  const own = `${endOfLine(text)}${indent}${write(indent)}${comma === undefined ? '' : ','}`;
  return [separator, { offset: lineEnd, length: 0, text: own }];
}

/** Puts children before all others of an array or object. */
export function prependChildren(
  text: string,
  parent: Node,
  write: WriteChildren,
): readonly JsonEdit[] {
  if (parent.children?.[0] === undefined) return fillEmpty(text, parent, write);
  const indent = readIndent(text, parent.offset) + readUnit(text);
  const own = `${endOfLine(text)}${indent}${write(indent)},`;
  return [{ offset: parent.offset + 1, length: 0, text: own }];
}

function fillEmpty(text: string, parent: Node, write: WriteChildren): readonly JsonEdit[] {
  const start = parent.offset + 1;
  const end = parent.offset + parent.length - 1;
  const outer = readIndent(text, parent.offset);
  const inner = outer + readUnit(text);
  const eol = endOfLine(text);
  if (text.slice(start, end).trim() === '') {
    const own = `${eol}${inner}${write(inner)}${eol}${outer}`;
    return [{ offset: start, length: Math.max(end - start, 0), text: own }];
  }
  // Behind the comments.
  const kept = text.slice(start, end).trimEnd();
  const isClosedBelow = text.slice(start + kept.length, end).includes('\n');
  const own = isClosedBelow ? `${eol}${inner}${write(inner)}` : ` ${write(undefined)}`;
  return [{ offset: start + kept.length, length: 0, text: own }];
}

/**
 * Removes an element of an array or a property of an object with its comma. Comments and the layout around
 * it stay.
 */
export function removeNode(text: string, node: Node): readonly JsonEdit[] {
  const end = node.offset + node.length;
  const next = findComma(text, end);
  const siblings = node.parent?.children ?? [];
  const before = next === undefined ? siblings[siblings.indexOf(node) - 1] : undefined;
  const comma = next ?? (before && findComma(text, before.offset + before.length));
  const own = takeLine(text, node.offset, next === undefined ? end : next + 1);
  const apart = comma !== undefined && comma !== next;
  return [...(apart ? [{ offset: comma, length: 1, text: '' }] : []), own];
}

/** The white space before the first character of a line. */
function readIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

/** What the file indents by. */
export function readUnit(text: string): string {
  return /^\t/m.test(text) ? '\t' : '  ';
}

export function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** What these tokens are to jsonc-parser, whose enum has no values at run time. */
const COMMA: SyntaxKind.CommaToken = 5;
const LINE_COMMENT: SyntaxKind.LineCommentTrivia = 12;
const BLOCK_COMMENT: SyntaxKind.BlockCommentTrivia = 13;
const LINE_BREAK: SyntaxKind.LineBreakTrivia = 14;
const SPACE: SyntaxKind.Trivia = 15;

/** The comma that follows, behind comments only. */
function findComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

/** The comments on the rest of a line, and its end; without one if something else follows on it. */
function readLineTail(
  text: string,
  offset: number,
): { readonly commentsEnd: number; readonly lineEnd?: number } {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  for (let commentsEnd = offset; ; ) {
    const token = scanner.scan();
    if (token === LINE_BREAK) return { commentsEnd, lineEnd: scanner.getTokenOffset() };
    if (token === LINE_COMMENT || token === BLOCK_COMMENT)
      commentsEnd = scanner.getTokenOffset() + scanner.getTokenLength();
    else if (token !== SPACE) return { commentsEnd };
  }
}

/** The whole line if nothing else is on it. */
function takeLine(text: string, start: number, end: number): JsonEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const isAlone =
    lineEnd >= 0 && from > 0 && (text.slice(from, start) + text.slice(end, lineEnd)).trim() === '';
  if (isAlone) return { offset: from, length: lineEnd + 1 - from, text: '' };
  const gap = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return { offset: start, length: end + gap - start, text: '' };
}
