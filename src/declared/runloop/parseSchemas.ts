import { isRecord } from '../../base/json.ts';
import { type JsonObject, pointerTo } from '../manifest/parsePointer.ts';
import { type ResolveReference, validateSchema } from '../manifest/parseSchema.ts';
import { registrySchema, type Surroundings } from '../manifest/parseSurroundings.ts';
import type { EntryScope } from './entryScope.ts';

/**
 * Resolves `$ref: "schema:ID"` (spec DA-12): through the entry's `schema_refs`, whose values are
 * schemas or further ids, then in the workspace's registry. Never on the network.
 */
export function referenceResolver(
  folder: string,
  schemaRefs: JsonObject,
  surroundings: Surroundings,
): ResolveReference {
  return (reference) => {
    let id = reference.replace(/^schema:/, '');
    // A chain of ids ends in a schema or in the registry; a cycle resolves to nothing.
    for (let step = 0; step < 8; step++) {
      const key = [id, `schema:${id}`].find((each) => Object.hasOwn(schemaRefs, each));
      const value = key === undefined ? undefined : schemaRefs[key];
      if (isRecord(value) || typeof value === 'boolean') return value;
      if (typeof value !== 'string') return registrySchema(folder, id, surroundings);
      const next = value.replace(/^schema:/, '');
      if (next === id) return registrySchema(folder, id, surroundings);
      id = next;
    }
    return undefined;
  };
}

interface Schemas {
  readonly inputSchema: object | boolean;
  readonly resultSchema: object | boolean;
  readonly schemaRefs: JsonObject;
}

/** Validates both schemas and everything in `schema_refs`. */
export function validateReferences(scope: EntryScope, schemas: Schemas): void {
  const { pointer, folder, surroundings, refuse } = scope;
  const { inputSchema, resultSchema, schemaRefs } = schemas;
  const resolve = referenceResolver(folder, schemaRefs, surroundings);
  report(scope, `${pointer}/input_schema`, 'input_schema', inputSchema, resolve);
  report(scope, `${pointer}/result_schema`, 'result_schema', resultSchema, resolve);
  for (const [name, value] of Object.entries(schemaRefs)) {
    const fieldPointer = pointerTo(`${pointer}/schema_refs`, name);
    if (isRecord(value) || typeof value === 'boolean')
      report(scope, fieldPointer, 'schema_refs', value, resolve);
    else if (typeof value !== 'string') {
      refuse(fieldPointer, 'invalid JSON: each of schema_refs must be a schema id or a schema');
    }
  }
}

function report(
  { diagnostics, index, schemas, refuse }: EntryScope,
  fieldPointer: string,
  field: string,
  schema: unknown,
  resolve: ResolveReference,
): void {
  const named = { pointer: fieldPointer, name: `tool #${index}: ${field}` };
  schemas.push({ ...named, index, schema, otherwise: '2020-12', resolve });
  for (const { pointer, message, kind } of validateSchema(schema, '2020-12', resolve)) {
    if (kind === 'invalid') {
      refuse(
        `${fieldPointer}${pointer}`,
        `tool #${index}: ${field} is not a valid JSON Schema: ${message}`,
      );
    } else {
      const text = `tool #${index}: ${message}: the tool is not offered`;
      diagnostics.warning(`${fieldPointer}${pointer}`, text, { blocks: index });
    }
  }
}
