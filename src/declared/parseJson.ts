import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { MANIFEST_DEPTH, type Span, type SyntaxFault, type Tree } from './parseDocument.ts';

export interface JsonTree extends Tree {
  readonly rootKeys: readonly string[];
  readonly mentionsTransport: boolean;
}

/** Strict JSON (RFC 8259) with places. Repeated names are faults: readers disagree on which one counts. */
export function parseJsonTree(text: string): JsonTree {
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    const fault = {
      offset: deep,
      length: 1,
      message: `nested deeper than ${MANIFEST_DEPTH} levels`,
    };
    return toTree(undefined, undefined, [fault]);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const faults: SyntaxFault[] = errors.map(({ error, offset, length }) => ({
    offset,
    length,
    message: words(printParseErrorCode(error)),
  }));
  if (root !== undefined) faults.push(...repeatedNames(root));
  if (faults.length > 0) return toTree(root, undefined, faults);
  return parseValue(text, root);
}

/** JSON.parse makes the value: it keeps `__proto__` an ordinary name, and is the last word on strictness. */
function parseValue(text: string, root: Node | undefined): JsonTree {
  try {
    return toTree(root, JSON.parse(text), []);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return toTree(root, undefined, [{ offset: 0, length: text.length, message }]);
  }
}

function toTree(root: Node | undefined, value: unknown, faults: readonly SyntaxFault[]): JsonTree {
  return {
    value,
    faults,
    rootKeys: (root?.type === 'object' ? (root.children ?? []) : []).map(nameOf),
    mentionsTransport: root !== undefined && mentionsTransport(root),
    at: (segments) => spanOf(find(root, segments).value),
    keyAt: (segments) => {
      const { value: node, property } = find(root, segments);
      return spanOf(property?.children?.[0] ?? node);
    },
  };
}

function find(
  root: Node | undefined,
  segments: readonly string[],
): { value: Node | undefined; property?: Node } {
  let value = root;
  let property: Node | undefined;
  for (const segment of segments) {
    const next = childOf(value, segment);
    if (next === undefined) return { value };
    ({ value, property } = next);
  }
  return { value, ...(property && { property }) };
}

function childOf(
  node: Node | undefined,
  segment: string,
): { value: Node; property: Node | undefined } | undefined {
  if (node?.type === 'array') {
    const value = node.children?.[Number(segment)];
    return value && { value, property: undefined };
  }
  const property = node?.children?.find(
    (each) => each.type === 'property' && nameOf(each) === segment,
  );
  const value = property?.children?.[1];
  return value && { value, property };
}

function spanOf(node: Node | undefined): Span {
  return node ? { offset: node.offset, length: node.length } : { offset: 0, length: 0 };
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value ?? '');
}

function mentionsTransport(root: Node): boolean {
  const tools = childOf(root, 'tools')?.value;
  return (tools?.children ?? []).some((tool) => childOf(tool, 'transport') !== undefined);
}

function repeatedNames(root: Node): readonly SyntaxFault[] {
  const faults: SyntaxFault[] = [];
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const child of node.children ?? []) {
      // A name and a plain value hold nothing further.
      if (child.children !== undefined) waiting.push(child);
    }
    if (node.type !== 'object') continue;
    addRepeated(node.children ?? [], faults);
  }
  return faults.sort((a, b) => a.offset - b.offset);
}

function addRepeated(properties: readonly Node[], faults: SyntaxFault[]): void {
  const seen = new Set<unknown>();
  for (const { children } of properties) {
    const [key] = children ?? [];
    if (!seen.has(key?.value)) seen.add(key?.value);
    else faults.push({ ...spanOf(key), message: `duplicate key ${JSON.stringify(key?.value)}` });
  }
}

/** Where the text goes deeper than the parsers may follow. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MANIFEST_DEPTH) return at;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return undefined;
}

/** The closing quote, or the end of the line, where the parser takes a string to end. */
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
