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
  visit,
  type YAMLMap,
} from 'yaml';
import { getMessage } from '../../base/faults.ts';
import { type DocumentError, type DocumentTree, MANIFEST_DEPTH, type SourceSpan } from './tree.ts';

/** The most aliases of one mapping or sequence. More would allow exponential expansion. */
const ALIASES = 100;

/** The most values of a document. Each use of an alias counts all of its values, because later steps visit them all. */
const VALUES = 500_000;

/** The most aliases of a document: each one is looked up through the whole document. */
const ALL_ALIASES = 1_000;

const TOO_DEEP = 'nested too deeply';

interface YamlTree extends DocumentTree {
  readonly rootKeys: readonly string[];
}

/** Parses one YAML 1.2 document with positions. */
export function parseYamlTree(text: string): YamlTree {
  const document = compose(text);
  if ('message' in document) return toTree(undefined, undefined, [document]);
  const syntaxErrors: readonly DocumentError[] = document.errors.map(
    ({ pos: [start, end], message, code }) => ({
      offset: start,
      length: Math.max(0, end - start),
      message: code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : (message.split('\n', 1)[0] ?? message),
    }),
  );
  const parseErrors = [...syntaxErrors, ...findFaults(document)];
  if (parseErrors.length > 0) return toTree(document, undefined, parseErrors);
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES });
    const { depth, values } = measure(value, 0, new Map());
    if (depth > MANIFEST_DEPTH) {
      const message = `nested deeper than ${MANIFEST_DEPTH} levels`;
      return toTree(document, undefined, [toDocumentError(message)]);
    }
    if (values <= VALUES) return toTree(document, value, []);
    const message = `more than ${VALUES} values, counting those that aliases repeat`;
    return toTree(document, undefined, [toDocumentError(message)]);
  } catch (error) {
    return toTree(document, undefined, [toDocumentError(getMessage(error))]);
  }
}

function compose(text: string): Document.Parsed | DocumentError {
  try {
    return parseDocument(text, {
      prettyErrors: false,
      // Their search takes quadratic time.
      uniqueKeys: false,
      merge: true,
      logLevel: 'error',
    });
  } catch (error) {
    // The composer is recursive: deep nesting overflows the stack.
    return toDocumentError(error instanceof RangeError ? TOO_DEEP : getMessage(error));
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
      const next = getPairs(value).get(segment);
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

/** The pairs of a mapping by their names, the first of equal ones. Positions of many are looked up. */
function getPairs(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = pairs.get(map);
  if (known !== undefined) return known;
  const made = new Map<string, Pair>();
  for (const pair of map.items) {
    const name = keyText(pair.key);
    if (!made.has(name)) made.set(name, pair);
  }
  pairs.set(map, made);
  return made;
}

const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** Too many aliases, and keys that a mapping has twice: readers disagree on which one counts. */
function findFaults(document: Document.Parsed): readonly DocumentError[] {
  const errors: DocumentError[] = [];
  let aliases = 0;
  visit(document, {
    Alias(_, alias) {
      aliases += 1;
      if (aliases !== ALL_ALIASES + 1) return;
      errors.push({ ...getSpan(alias), message: `more than ${ALL_ALIASES} aliases` });
    },
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? toName(key.value) : key;
        if (seen.has(name)) errors.push({ ...getSpan(key), message: 'Map keys must be unique' });
        seen.add(name);
      }
    },
  });
  return errors;
}

/** The name that a key has as a property: 1 and "1" have the same. */
function toName(value: unknown): string {
  return value === null ? '' : String(value);
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function getSpan(node: unknown): SourceSpan {
  const range = isNode(node) ? node.range : undefined;
  return range ? { offset: range[0], length: range[1] - range[0] } : { offset: 0, length: 0 };
}

interface Size {
  readonly depth: number;
  readonly values: number;
}

/** The depth of a value and how many values it has, counting what aliases repeat, each visited once. */
function measure(value: unknown, level: number, known: Map<object, Size>): Size {
  if (typeof value !== 'object' || value === null) return LEAF;
  // Deeper than this is refused, so the stack can't overflow.
  if (level > MANIFEST_DEPTH) return { depth: 1, values: 1 };
  const earlier = known.get(value);
  if (earlier !== undefined) return earlier;
  let depth = 0;
  let values = 1;
  for (const inner of Object.values(value)) {
    const size = measure(inner, level + 1, known);
    depth = Math.max(depth, size.depth + 1);
    values += size.values;
  }
  const size = { depth, values };
  known.set(value, size);
  return size;
}

const LEAF: Size = { depth: 0, values: 1 };
