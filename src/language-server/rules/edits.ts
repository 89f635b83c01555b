import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser';
import type { TextEdit } from '../../declared/manifest/diagnostic.ts';

/** A change of the file that the user can choose. */
export interface RuleFix {
  readonly title: string;
  /** The fix that an editor applies without asking. At most one for each diagnostic. */
  readonly preferred?: true;
  edits(): readonly TextEdit[];
}

/** Replaces a value or key. */
export function replaceNode({ offset, length }: Node, value: string): TextEdit {
  return { offset, length, text: JSON.stringify(value) };
}

/**
 * Removes an element of an array or a property of an object with its comma. Comments and the layout around
 * it stay.
 */
export function removeNode(text: string, node: Node): readonly TextEdit[] {
  const end = node.offset + node.length;
  const next = findComma(text, end);
  const siblings = node.parent?.children ?? [];
  const before = next === undefined ? siblings[siblings.indexOf(node) - 1] : undefined;
  const comma = next ?? (before && findComma(text, before.offset + before.length));
  const own = takeLine(text, node.offset, next === undefined ? end : next + 1);
  const apart = comma !== undefined && comma !== next;
  return [...(apart ? [{ offset: comma, length: 1, text: '' }] : []), own];
}

const COMMA: SyntaxKind.CommaToken = 5;

/** The comma that follows, behind comments only. */
function findComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

/** The whole line if nothing else is on it. */
function takeLine(text: string, start: number, end: number): TextEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const isAlone =
    lineEnd >= 0 && from > 0 && (text.slice(from, start) + text.slice(end, lineEnd)).trim() === '';
  if (isAlone) return { offset: from, length: lineEnd + 1 - from, text: '' };
  const gap = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return { offset: start, length: end + gap - start, text: '' };
}

/** Adds a property at the end of an object. */
export function addProperty(node: Node, name: string, value: string): readonly TextEdit[] {
  const last = node.children?.at(-1);
  const property = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  if (last === undefined) return [{ offset: node.offset + 1, length: 0, text: property }];
  return [{ offset: last.offset + last.length, length: 0, text: `, ${property}` }];
}
