import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
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

/** Too many aliases, keys that a mapping has twice, as readers disagree on which one counts, and keys that are no names. */
function findFaults(document: Document.Parsed): readonly DocumentError[] {
  const errors: DocumentError[] = [];
  const seen = new Map<unknown, Set<string>>();
  // An anchor may be set again: an alias stands for the last one before it, and nodes are visited in order.
  const anchors = new Map<string, Node>();
  let aliases = 0;
  visit(document, (_, node, path) => {
    if (isAlias(node)) {
      aliases += 1;
      if (aliases !== ALL_ALIASES + 1) return;
      errors.push({ ...getSpan(node), message: `more than ${ALL_ALIASES} aliases` });
    } else if (isPair(node)) {
      const map = path.at(-1);
      const names = seen.get(map) ?? new Set();
      seen.set(map, names);
      const name = readName(node.key, anchors);
      const fault =
        name === undefined
          ? 'Map keys must be strings'
          : names.has(name) && 'Map keys must be unique';
      if (fault) errors.push({ ...getSpan(node.key), message: fault });
      names.add(name ?? '');
    } else if (isNode(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
  });
  return errors;
}

/** The name that a key has as a property: 1 and "1" have the same. Undefined for a mapping or sequence. */
function readName(key: unknown, anchors: ReadonlyMap<string, Node>): string | undefined {
  const meant = isAlias(key) ? anchors.get(key.source) : key;
  const isCollection = isMap(meant) || isSeq(meant);
  if (isCollection) return undefined;
  const name = isScalar(meant) ? toName(meant.value) : '';
  if (isNode(key)) keyNames.set(key, name);
  return name;
}

function toName(value: unknown): string {
  return value === null ? '' : String(value);
}

/** The names of the keys of documents that were searched for faults. */
const keyNames = new WeakMap<Node, string>();

function keyText(key: unknown): string {
  const name = isNode(key) ? keyNames.get(key) : undefined;
  return name ?? toName(isScalar(key) ? key.value : key);
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
