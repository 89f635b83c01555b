import { isRecord } from '../../base/json.ts';
import { pointerTo } from '../manifest/parsePointer.ts';
import type { ResolveReference } from '../manifest/parseSchema.ts';

/**
 * Inlines everything that the schema refers to outside itself under `$defs`, so that models and
 * validators need no registry. Unknown references are kept.
 */
export function inlineSchema(schema: object, resolve: ResolveReference): object {
  const definitions = new Map<string, { readonly name: string; value: unknown }>();

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
    if (reference.startsWith('#')) return root + reference.slice(1);
    const known = definitions.get(reference);
    if (known) return `#/$defs/${known.name}`;
    const found = resolve(reference);
    if (found === undefined) return reference;
    const definition: { readonly name: string; value: unknown } = {
      name: `ref${definitions.size + 1}`,
      value: found,
    };
    definitions.set(reference, definition);
    const internalRef = `#${pointerTo('/$defs', definition.name)}`;
    definition.value = visit(withoutNames(found), internalRef);
    return internalRef;
  }

  const inlined = visit(schema, '#');
  if (definitions.size === 0 || !isRecord(inlined)) return schema;
  const own = isRecord(inlined['$defs']) ? inlined['$defs'] : {};
  const added = [...definitions.values()].map(({ name, value }) => [name, value] as const);
  return flatten({ ...inlined, $defs: { ...own, ...Object.fromEntries(added) } });
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
