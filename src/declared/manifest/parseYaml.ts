import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
} from 'yaml';
import { getMessage } from '../../base/faults.ts';
import { type DocumentError, type DocumentTree, MANIFEST_DEPTH, type SourceSpan } from './tree.ts';

/** The most aliases of one mapping or sequence. More would allow exponential expansion. */
const ALIASES = 100;

interface YamlTree extends DocumentTree {
  readonly rootKeys: readonly string[];
}

/** Parses one YAML 1.2 document with positions. */
export function parseYamlTree(text: string): YamlTree {
  const document = compose(text);
  if ('message' in document) return toTree(undefined, undefined, [document]);
  const parseErrors: DocumentError[] = document.errors.map(({ pos: [start, end], message }) => ({
    offset: start,
    length: Math.max(0, end - start),
    message: message.split('\n', 1)[0] ?? message,
  }));
  if (parseErrors.length > 0) return toTree(document, undefined, parseErrors);
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES });
    if (getDepth(value) <= MANIFEST_DEPTH) return toTree(document, value, []);
    return toTree(document, undefined, [
      toDocumentError(`nested deeper than ${MANIFEST_DEPTH} levels`),
    ]);
  } catch (error) {
    return toTree(document, undefined, [toDocumentError(getMessage(error))]);
  }
}

function compose(text: string): Document.Parsed | DocumentError {
  try {
    return parseDocument(text, {
      prettyErrors: false,
      uniqueKeys: true,
      merge: true,
      logLevel: 'error',
    });
  } catch (error) {
    // The composer is recursive: deep nesting overflows the stack.
    return toDocumentError(error instanceof RangeError ? 'nested too deeply' : getMessage(error));
  }
}

function toDocumentError(message: string): DocumentError {
  return { offset: 0, length: 0, message };
}

function toTree(
  document: Document.Parsed | undefined,
  value: unknown,
  parseErrors: readonly DocumentError[],
): YamlTree {
  const root = document?.contents ?? undefined;
  return {
    value,
    parseErrors,
    rootKeys: isMap(root) ? root.items.map(({ key }) => keyText(key)) : [],
    at: (segments) => getSpan(find(root, segments).value),
    keyAt: (segments) => {
      const { value: node, pair } = find(root, segments);
      return getSpan(pair?.key ?? node);
    },
  };
}

function find(root: unknown, segments: readonly string[]): { value: unknown; pair?: Pair } {
  let value = root;
  let pair: Pair | undefined;
  for (const segment of segments) {
    if (isMap(value)) {
      const next: Pair | undefined = value.items.find(({ key }) => keyText(key) === segment);
      if (next === undefined) return { value };
      pair = next;
      // A name without a value has the name's position.
      value = isPair(next) && next.value !== null ? next.value : next.key;
    } else if (isSeq(value) && value.items[Number(segment)] !== undefined) {
      value = value.items[Number(segment)];
      pair = undefined;
    } else return { value, ...(isAlias(value) && pair ? { pair } : {}) };
  }
  return { value, ...(pair && { pair }) };
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function getSpan(node: unknown): SourceSpan {
  const range = isNode(node) ? node.range : undefined;
  return range ? { offset: range[0], length: range[1] - range[0] } : { offset: 0, length: 0 };
}

/** Breadth first, so that a deep value can't overflow the stack. */
function getDepth(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0 && depth <= MANIFEST_DEPTH + 1; depth++) {
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return depth - 1;
}
