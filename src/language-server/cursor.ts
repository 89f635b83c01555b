import { getLocation } from 'jsonc-parser';
import { isMap, isPair, isScalar, isSeq, parseDocument } from 'yaml';
import { fieldAt } from '../base/json.ts';
import type { SourceDocument } from '../declared/manifest/parseDocument.ts';
import { pointerTo } from '../declared/manifest/parsePointer.ts';
import type { SourceSpan } from '../declared/manifest/tree.ts';

/** The value or key at an offset in the document. */
export interface Cursor {
  /** The value under the cursor, or the object whose key is being typed. */
  readonly pointer: string;
  /** The cursor is on a property name. */
  readonly isKey: boolean;
  /** The text from the start of the value or key being typed. */
  readonly span: SourceSpan;
  readonly written: string;
}

/** Finds the cursor's position in the value; the document may be incomplete. */
export function cursorAt(document: SourceDocument, offset: number): Cursor {
  return document.notation === 'json' ? jsonCursor(document, offset) : yamlCursor(document, offset);
}

function jsonCursor({ text }: SourceDocument, offset: number): Cursor {
  const location = getLocation(text, offset);
  const path = location.isAtPropertyKey ? location.path.slice(0, -1) : location.path;
  const node = location.previousNode;
  const isInside =
    node !== undefined && node.offset <= offset && offset <= node.offset + node.length;
  const span = isInside ? { offset: node.offset, length: node.length } : { offset, length: 0 };
  return {
    pointer: path.reduce<string>((pointer, segment) => pointerTo(pointer, segment), ''),
    isKey: location.isAtPropertyKey,
    span,
    written: text.slice(span.offset, span.offset + span.length).replace(/^"|"$/g, ''),
  };
}

/**
 * Determines the YAML position by lines: indentation gives the parent, the text before the colon
 * the key.
 */
function yamlCursor({ text }: SourceDocument, offset: number): Cursor {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  const [, margin = '', name = '', gap = ''] = /^(\s*)([\w$.-]*)(\s*:\s*)?/.exec(line) ?? [];
  const holder = findHolder(text, start, margin.length);
  const isKey = gap === '' || offset - start < margin.length + name.length + 1;
  if (isKey) {
    const span = { offset: start + margin.length, length: name.length };
    return { pointer: holder, isKey: true, span, written: name };
  }
  const from = start + margin.length + name.length + gap.length;
  const written = line.slice(from - start);
  return {
    pointer: pointerTo(holder, name),
    isKey: false,
    span: { offset: from, length: written.length },
    written,
  };
}

function findHolder(text: string, start: number, indent: number): string {
  const names: string[] = [];
  let limit = indent;
  for (let end = start - 1; end > 0 && limit > 0; ) {
    const begin = text.lastIndexOf('\n', end - 1) + 1;
    const [, margin = '', name = ''] =
      /^(\s*)(?:-\s+)?([\w$.-]+)\s*:/.exec(text.slice(begin, end)) ?? [];
    if (name !== '' && margin.length < limit) {
      names.unshift(name);
      limit = margin.length;
    }
    end = begin - 1;
  }
  return names.reduce((pointer, name) => pointerTo(pointer, name), '');
}

/** The pointer of the value or key at an offset of a complete document. */
export function pointerAt(document: SourceDocument, offset: number): string {
  if (document.notation === 'json') {
    const { pointer, isKey, written } = jsonCursor(document, offset);
    return isKey ? pointerTo(pointer, written) : pointer;
  }
  let found = '';
  const visit = (node: unknown, pointer: string): void => {
    if (isMap(node)) {
      for (const pair of node.items) {
        const name = String(isScalar(pair.key) ? pair.key.value : '');
        const inner = pointerTo(pointer, name);
        if (covers(pair.key, offset) || covers(pair.value, offset)) found = inner;
        if (isPair(pair)) visit(pair.value, inner);
      }
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const inner = pointerTo(pointer, index);
        if (covers(item, offset)) found = inner;
        visit(item, inner);
      }
    }
  };
  visit(parseDocument(document.text, { logLevel: 'silent' }).contents, '');
  return found;
}

function covers(node: unknown, offset: number): boolean {
  const range = fieldAt(node, 'range');
  if (!Array.isArray(range)) return false;
  return Number(range[0]) <= offset && offset <= Number(range[1]);
}
