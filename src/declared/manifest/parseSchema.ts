import { isRecord, valueAt } from '../../base/json.ts';
import { getField, pointerTo, toSegments } from './parsePointer.ts';

export type SchemaDialect = 'draft-07' | '2019-09' | '2020-12';

export interface SchemaDiagnostic {
  /** Inside the schema. */
  readonly pointer: string;
  readonly message: string;
  /** `unresolved`: a `$ref` without a target. It is never fetched. */
  readonly kind: 'invalid' | 'unresolved';
}

/** Finds the schema of a `$ref` outside the document; undefined if it is unknown. */
export type ResolveReference = (reference: string) => unknown;

/** The most diagnostics listed for one schema. */
const LISTED = 20;

const DIALECTS: Readonly<Record<string, SchemaDialect>> = {
  'http://json-schema.org/draft-06/schema': 'draft-07',
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/schema': '2020-12',
};

/** The dialect of a schema: `$schema` if given, else the manifest's own default (spec decision 26). */
export function schemaDialect(
  schema: unknown,
  otherwise: SchemaDialect,
): SchemaDialect | undefined {
  const named = isRecord(schema) ? getField(schema, '$schema') : undefined;
  if (named === undefined) return otherwise;
  const key = typeof named === 'string' ? named.replace(/#$/, '') : '';
  return Object.hasOwn(DIALECTS, key) ? DIALECTS[key] : undefined;
}

/**
 * Validates what takes linear time: the dialect, the patterns, and that every `$ref` resolves. The schema
 * worker does the rest (`validateSchemas`).
 */
export function validateSchema(
  schema: unknown,
  otherwise: SchemaDialect,
  resolve: ResolveReference = () => undefined,
): readonly SchemaDiagnostic[] {
  const dialect = schemaDialect(schema, otherwise);
  if (dialect === undefined) {
    return [{ pointer: '/$schema', message: 'unknown schema dialect', kind: 'invalid' }];
  }
  if (typeof schema === 'boolean') return [];
  if (!isRecord(schema)) return [invalid('', 'must be an object or a boolean')];
  if (getField(schema, '$async') !== undefined)
    return [invalid('/$async', '$async is not supported')];
  const parts = listParts(schema);
  return [...validatePatterns(parts), ...validateReferences(schema, parts, resolve)].slice(
    0,
    LISTED,
  );
}

function invalid(pointer: string, message: string): SchemaDiagnostic {
  return { pointer, message, kind: 'invalid' };
}

interface Part {
  readonly position: Position;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Where a value is. Its pointer is made only for a diagnostic, because a manifest has thousands of parts. */
interface Position {
  /** Absent: the whole schema. */
  readonly inside?: Position;
  readonly keys: readonly string[];
}

function toPointer({ inside, keys }: Position): string {
  return keys.reduce(pointerTo, inside === undefined ? '' : toPointer(inside));
}

const ONE: ReadonlySet<string> = new Set([
  ...[
    'additionalItems',
    'additionalProperties',
    'contains',
    'contentSchema',
    'else',
    'if',
    'items',
  ],
  ...['not', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
]);
const LISTS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set([
  ...[
    '$defs',
    'definitions',
    'dependencies',
    'dependentSchemas',
    'patternProperties',
    'properties',
  ],
]);

/** Every schema inside a schema, itself first. */
function listParts(schema: unknown): readonly Part[] {
  const parts: Part[] = [];
  const waiting: { readonly position: Position; readonly schema: unknown }[] = [
    { position: { keys: [] }, schema },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { position: inside, schema: part } = next;
    if (!isRecord(part)) continue;
    parts.push({ position: inside, schema: part });
    for (const key of Object.keys(part)) {
      const value = part[key];
      if (typeof value !== 'object' || value === null) continue;
      const isList = Array.isArray(value);
      if (!isList && ONE.has(key))
        waiting.push({ position: { inside, keys: [key] }, schema: value });
      if (!(isList ? LISTS : MAPS).has(key)) continue;
      for (const [name, inner] of Object.entries(value)) {
        waiting.push({ position: { inside, keys: [key, name] }, schema: inner });
      }
    }
  }
  return parts;
}

function validatePatterns(parts: readonly Part[]): readonly SchemaDiagnostic[] {
  const diagnostics: SchemaDiagnostic[] = [];
  for (const { position, schema } of parts) {
    const { pattern, patternProperties } = schema;
    if (typeof pattern === 'string' && !isPattern(pattern)) {
      const pointer = pointerTo(toPointer(position), 'pattern');
      diagnostics.push(invalid(pointer, 'is not a regular expression'));
    }
    for (const name of isRecord(patternProperties) ? Object.keys(patternProperties) : []) {
      if (isPattern(name)) continue;
      const keywordPointer = pointerTo(pointerTo(toPointer(position), 'patternProperties'), name);
      diagnostics.push(invalid(keywordPointer, 'its name is not a regular expression'));
    }
  }
  return diagnostics;
}

/** Ajv compiles patterns in Unicode mode; authors often write for the older mode, so both are accepted. */
function isPattern(pattern: string): boolean {
  return toRegExp(pattern) !== undefined;
}

/** The pattern in Unicode mode, as ajv compiles it, or in the older mode if that fails. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Invalid in this mode; the next mode may accept it.
    }
  }
  return undefined;
}

function validateReferences(
  root: unknown,
  parts: readonly Part[],
  resolve: ResolveReference,
): readonly SchemaDiagnostic[] {
  const names = new Set<string>();
  for (const { schema } of parts) {
    for (const key of ['$id', '$anchor', '$dynamicAnchor']) {
      const name = schema[key];
      if (typeof name === 'string') names.add(key === '$id' ? name : `#${name}`);
    }
  }
  const diagnostics: SchemaDiagnostic[] = [];
  for (const { position, schema } of parts) {
    for (const key of ['$ref', '$dynamicRef']) {
      const reference = schema[key];
      if (typeof reference !== 'string' || leadsSomewhere(root, names, reference, resolve))
        continue;
      if (diagnostics.length >= LISTED) return diagnostics;
      const message = `unresolved $ref ${JSON.stringify(reference)}`;
      const pointer = pointerTo(toPointer(position), key);
      diagnostics.push({ pointer, message, kind: 'unresolved' });
    }
  }
  return diagnostics;
}

function leadsSomewhere(
  root: unknown,
  names: ReadonlySet<string>,
  reference: string,
  resolve: ResolveReference,
): boolean {
  if (reference === '#' || names.has(reference)) return true;
  if (Object.hasOwn(DIALECTS, reference.replace(/#$/, ''))) return true;
  if (reference.startsWith('#/'))
    return valueAt(root, toSegments(decodeFragment(reference.slice(1)))) !== undefined;
  return !reference.startsWith('#') && resolve(reference) !== undefined;
}

/** The decoded fragment of a reference; an invalid encoding is kept as it is. */
export function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
