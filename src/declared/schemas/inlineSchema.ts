import { isRecord, toRecord } from '../../base/json.ts';
import { pointerTo } from '../manifest/parsePointer.ts';
import type { ResolveReference } from '../manifest/parseSchema.ts';

/**
 * Inlines everything that the schema refers to outside itself under `$defs`, so that models and
 * validators need no registry. Unknown references are kept.
 */
export function inlineSchema(schema: object, resolve: ResolveReference): object {
  const ownNames = new Set(Object.keys(toRecord(toRecord(schema)['$defs'])));
  const definitions = new Map<string, Definition>();
  let number = 0;

  function visit(value: unknown, root: string): unknown {
    if (Array.isArray(value)) return value.map((each) => visit(each, root));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? rename(inner, root) : visit(inner, root),
      ]),
    );
  }

  function rename(reference: string, root: string): string {
    // An anchor is found by its name, wherever its schema lies.
    if (/^#(?!\/|$)/.test(reference)) return reference;
    if (reference.startsWith('#')) return root + reference.slice(1);
    const known = definitions.get(reference);
    if (known) return toReference(known);
    const value = resolve(reference);
    if (value === undefined) return reference;
    do number++;
    while (ownNames.has(`ref${number}`));
    const definition: Definition = { name: `ref${number}`, value };
    definitions.set(reference, definition);
    return toReference(definition);
  }

  const inlined = visit(schema, '#');
  if (definitions.size === 0 || !isRecord(inlined)) return schema;
  // Adds to the map that it goes through: a long row of schemas must not overflow the stack.
  for (const definition of definitions.values()) {
    definition.value = visit(withoutNames(definition.value), toReference(definition));
  }
  const added = [...definitions.values()].map(({ name, value }) => [name, value] as const);
  return flatten({
    ...inlined,
    $defs: { ...toRecord(inlined['$defs']), ...Object.fromEntries(added) },
  });
}

/** A schema from outside. */
interface Definition {
  readonly name: string;
  value: unknown;
}

function toReference({ name }: Definition): string {
  return `#${pointerTo('/$defs', name)}`;
}

/** A nested `$id` would change the base of every reference in it. */
function withoutNames(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { $id: _, $schema: __, ...rest } = schema;
  return rest;
}

/** Models expect an object at the root, not a reference to one. */
function flatten(schema: Readonly<Record<string, unknown>>): object {
  const { $ref: reference, $defs: definitions, ...rest } = schema;
  if (typeof reference !== 'string' || !isRecord(definitions)) return schema;
  const [, name = ''] = /^#\/\$defs\/([^/]+)$/.exec(reference) ?? [];
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isRecord(target) ? { ...rest, ...target, $defs: definitions } : schema;
}
