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
/** The longest YAML document that is parsed. Its parser takes 20 times as long as that of JSON. Bytes. */
const YAML_BYTES = MB / 8;
/** The most tools in one manifest. */
export const MANIFEST_TOOLS = 5_000;
/** Parses a document by its file name: `.yaml` and `.yml` are YAML, everything else is JSON. */
export function readDocument(path: string, content: Uint8Array | string): SourceDocument {
  const notation = /\.ya?ml$/i.test(path) ? 'yaml' : 'json';
  const size = typeof content === 'string' ? content.length : content.byteLength;
  const limit = notation === 'yaml' ? YAML_BYTES : MANIFEST_BYTES;
  if (size > limit) {
    const rootKeys = notation === 'yaml' ? findRootKeys(content) : [];
    return { ...unreadable(notation, `longer than ${limit} bytes`), rootKeys };
  }
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
  const overflow = findOverflow(tree.value);
  const parseErrors =
    overflow === undefined || tree.parseErrors.length > 0
      ? tree.parseErrors
      : [{ ...tree.at(overflow), message: 'a number that JSON cannot hold' }];
  return {
    notation,
    text,
    value: tree.value,
    parseErrors,
    rootKeys: tree.rootKeys ?? [],
    mentionsTransport: tree.mentionsTransport ?? false,
    at: (pointer) => tree.at(toSegments(pointer)),
    keyAt: (pointer) => tree.keyAt(toSegments(pointer)),
    position: (offset) => toPosition(starts, offset),
  };
}

/**
 * Where a document has a number that JSON can't hold: `.nan` and `.inf` of YAML, and `1e400`. Passed on
 * to a tool or a model, it would become null.
 */
function findOverflow(root: unknown): readonly string[] | undefined {
  if (!hasOverflow(root)) return undefined;
  const seen = new Set<object>();
  const waiting: { readonly value: unknown; readonly at: readonly string[] }[] = [
    { value: root, at: [] },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, at } = next;
    if (isOverflow(value)) return at;
    // A YAML alias repeats a value.
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, inner] of Object.entries(value)) {
      if (isOverflow(inner)) return [...at, key];
      if (typeof inner === 'object') waiting.push({ value: inner, at: [...at, key] });
    }
  }
  return undefined;
}

/** Most documents have none, so paths are made only for one that has. */
function hasOverflow(root: unknown): boolean {
  if (isOverflow(root)) return true;
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === 'number' && !Number.isFinite(inner)) return true;
      if (typeof inner === 'object') waiting.push(inner);
    }
  }
  return false;
}

function isOverflow(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function unreadable(notation: 'json' | 'yaml', message: string, text = ''): SourceDocument {
  const whole = () => ({ offset: 0, length: 0 });
  const parseErrors = [{ ...whole(), message }];
  return toDocument(notation, text, { value: undefined, parseErrors, at: whole, keyAt: whole });
}

/** The names at the root of a YAML text that is too long to parse: it is refused by its dialect, not overlooked. */
function findRootKeys(content: Uint8Array | string): readonly string[] {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
  const names = [...text.slice(0, MANIFEST_BYTES).matchAll(/^([A-Za-z_]+):/gm)];
  return [...new Set(names.map(([, name = '']) => name))];
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
