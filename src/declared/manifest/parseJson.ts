import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import { getField, type JsonObject } from './parsePointer.ts';
import { type DocumentError, type DocumentTree, MANIFEST_DEPTH, type SourceSpan } from './tree.ts';

export interface JsonTree extends DocumentTree {
  readonly rootKeys: readonly string[];
  readonly mentionsTransport: boolean;
}

/** Strict JSON (RFC 8259) with positions. Repeated names are errors: readers disagree on which one counts. */
export function parseJsonTree(text: string): JsonTree {
  const { deep, names } = scan(text);
  if (deep !== undefined) {
    const message = `nested deeper than ${MANIFEST_DEPTH} levels`;
    return toTree(() => undefined, undefined, [{ offset: deep, length: 1, message }]);
  }
  const parsed = parseStrictly(text);
  // As many names in the text as in the value: none comes twice. Positions are computed on demand.
  if (parsed.ok && countNames(parsed.value) === names) {
    let root: Node | undefined;
    return toTree(() => (root ??= parseTree(text)), parsed.value, []);
  }
  return parseInvalid(text, parsed);
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** JSON.parse creates the value: it keeps `__proto__` an ordinary name and decides what is valid. */
function parseStrictly(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: getMessage(error) };
  }
}

/** All errors of a document that is not JSON, or has content after its JSON value. */
function parseInvalid(text: string, parsed: Parsed): JsonTree {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const syntaxErrors: readonly DocumentError[] = errors.map(({ error, offset, length }) => ({
    offset,
    length,
    message: words(printParseErrorCode(error)),
  }));
  const parseErrors = [...syntaxErrors, ...(root === undefined ? [] : repeatedNames(root))];
  if (parseErrors.length === 0 && !parsed.ok) {
    parseErrors.push({ offset: 0, length: text.length, message: parsed.message });
  }
  const value = parsed.ok && parseErrors.length === 0 ? parsed.value : undefined;
  return toTree(() => root, value, parseErrors);
}

function countNames(root: unknown): number {
  let count = 0;
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const each of inner) if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return count;
}

function toTree(
  root: () => Node | undefined,
  value: unknown,
  parseErrors: readonly DocumentError[],
): JsonTree {
  return {
    value,
    parseErrors,
    ...(isRecord(value) ? factsOfValue(value) : factsOfTree(root())),
    at: (segments) => getSpan(find(root(), segments).value),
    keyAt: (segments) => {
      const { value: node, property } = find(root(), segments);
      return getSpan(property?.children?.[0] ?? node);
    },
  };
}

type Facts = Pick<JsonTree, 'rootKeys' | 'mentionsTransport'>;

function factsOfValue(value: JsonObject): Facts {
  const tools = getField(value, 'tools');
  const mentions = (each: unknown): boolean => isRecord(each) && Object.hasOwn(each, 'transport');
  return {
    rootKeys: Object.keys(value),
    mentionsTransport: Array.isArray(tools) && tools.some(mentions),
  };
}

/** The root keys of a document that could not be parsed completely. */
function factsOfTree(root: Node | undefined): Facts {
  return {
    rootKeys: (root?.type === 'object' ? (root.children ?? []) : []).map(getName),
    mentionsTransport: root !== undefined && mentionsTransport(root),
  };
}

function find(
  root: Node | undefined,
  segments: readonly string[],
): { value: Node | undefined; property?: Node } {
  let value = root;
  let property: Node | undefined;
  for (const segment of segments) {
    const next = findChild(value, segment);
    if (next === undefined) return { value };
    ({ value, property } = next);
  }
  return { value, ...(property && { property }) };
}

function findChild(
  node: Node | undefined,
  segment: string,
): { value: Node; property: Node | undefined } | undefined {
  if (node?.type === 'array') {
    const value = node.children?.[Number(segment)];
    return value && { value, property: undefined };
  }
  const property = node && getProperties(node).get(segment);
  const value = property?.children?.[1];
  return value && { value, property };
}

/** The properties of an object by their names, the first of equal ones. Positions of many are looked up. */
function getProperties(node: Node): ReadonlyMap<string, Node> {
  const known = properties.get(node);
  if (known !== undefined) return known;
  const made = new Map<string, Node>();
  for (const each of node.children ?? []) {
    const name = getName(each);
    if (each.type === 'property' && !made.has(name)) made.set(name, each);
  }
  properties.set(node, made);
  return made;
}

const properties = new WeakMap<Node, ReadonlyMap<string, Node>>();

function getSpan(node: Node | undefined): SourceSpan {
  return node ? { offset: node.offset, length: node.length } : { offset: 0, length: 0 };
}

function getName(property: Node): string {
  return String(property.children?.[0]?.value ?? '');
}

function mentionsTransport(root: Node): boolean {
  const tools = findChild(root, 'tools')?.value;
  return (tools?.children ?? []).some((tool) => findChild(tool, 'transport') !== undefined);
}

function repeatedNames(root: Node): readonly DocumentError[] {
  const parseErrors: DocumentError[] = [];
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const child of node.children ?? []) {
      // Names and scalars have no children.
      if (child.children !== undefined) waiting.push(child);
    }
    if (node.type !== 'object') continue;
    addRepeated(node.children ?? [], parseErrors);
  }
  return parseErrors.sort((a, b) => a.offset - b.offset);
}

function addRepeated(properties: readonly Node[], parseErrors: DocumentError[]): void {
  const seen = new Set<unknown>();
  for (const { children } of properties) {
    const [key] = children ?? [];
    if (!seen.has(key?.value)) seen.add(key?.value);
    else
      parseErrors.push({ ...getSpan(key), message: `duplicate key ${JSON.stringify(key?.value)}` });
  }
}

/** Where the text exceeds the nesting limit, and how many names its objects have. */
function scan(text: string): { readonly deep?: number; readonly names: number } {
  let depth = 0;
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x3a) names++;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MANIFEST_DEPTH) return { deep: at, names };
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return { names };
}

/** The offset of the closing quote, or of the end of the line, which also ends a string. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22 || code === 0x0a || code === 0x0d) return at;
  }
  return text.length;
}

/** `PropertyNameExpected` to "property name expected". */
function words(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
