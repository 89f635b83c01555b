import type { SourceDocument } from '../declared/manifest/parseDocument.ts';
import type { SourceSpan } from '../declared/manifest/tree.ts';

/** A range in protocol terms: zero-based lines and columns. */
export interface TextRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export function toRange(document: SourceDocument, { offset, length }: SourceSpan): TextRange {
  return { start: toPosition(document, offset), end: toPosition(document, offset + length) };
}

function toPosition(document: SourceDocument, offset: number) {
  const { line, column } = document.position(offset);
  return { line: line - 1, character: column - 1 };
}
