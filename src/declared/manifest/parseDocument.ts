import { MB } from '../../base/units.ts';
import { type JsonTree, parseJsonTree } from './parseJson.ts';
import { toSegments } from './parsePointer.ts';
import { parseYamlTree } from './parseYaml.ts';
import type { DocumentError, DocumentTree, SourceSpan } from './tree.ts';

/** A manifest's text, its value, and the position of each part of the value. */
export interface SourceDocument {
  readonly notation: 'json' | 'yaml';
  readonly text: string;
  readonly value: unknown;
  readonly parseErrors: readonly DocumentError[];
  /** Names at the root, as far as the text could be parsed, for detecting the dialect of an invalid file. */
  readonly rootKeys: readonly string[];
  /** The text mentions a `transport` property somewhere. */
  readonly mentionsTransport: boolean;
  at(pointer: string): SourceSpan;
  keyAt(pointer: string): SourceSpan;
  /** Line and column from 1. */
  position(offset: number): { readonly line: number; readonly column: number };
}

/** The longest manifest that is parsed. Bytes. */
export const MANIFEST_BYTES = 4 * MB;
/** The most tools in one manifest. */
export const MANIFEST_TOOLS = 5_000;
/** Parses a document by its file name: `.yaml` and `.yml` are YAML, everything else is JSON. */
export function readDocument(path: string, content: Uint8Array | string): SourceDocument {
  const notation = /\.ya?ml$/i.test(path) ? 'yaml' : 'json';
  const size = typeof content === 'string' ? content.length : content.byteLength;
  if (size > MANIFEST_BYTES) return unreadable(notation, `longer than ${MANIFEST_BYTES} bytes`);
  const text = typeof content === 'string' ? content : decode(content);
  if (text === undefined) return unreadable(notation, 'the text is not UTF-8');
  if (text.startsWith('\uFEFF') && notation === 'json') {
    return unreadable(notation, 'the file starts with a byte order mark', text);
  }
  return toDocument(
    notation,
    text,
    notation === 'yaml' ? parseYamlTree(text) : parseJsonTree(text),
  );
}

function toDocument(
  notation: 'json' | 'yaml',
  text: string,
  tree: DocumentTree & Partial<JsonTree>,
): SourceDocument {
  const starts = lineStarts(text);
  return {
    notation,
    text,
    value: tree.value,
    parseErrors: tree.parseErrors,
    rootKeys: tree.rootKeys ?? [],
    mentionsTransport: tree.mentionsTransport ?? false,
    at: (pointer) => tree.at(toSegments(pointer)),
    keyAt: (pointer) => tree.keyAt(toSegments(pointer)),
    position: (offset) => toPosition(starts, offset),
  };
}

function unreadable(notation: 'json' | 'yaml', message: string, text = ''): SourceDocument {
  const whole = () => ({ offset: 0, length: 0 });
  const parseErrors = [{ ...whole(), message }];
  return toDocument(notation, text, { value: undefined, parseErrors, at: whole, keyAt: whole });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function toPosition(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
