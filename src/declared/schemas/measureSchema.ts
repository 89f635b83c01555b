import { isRecord } from '../../base/json.ts';
import type { ResolveReference } from '../manifest/parseSchema.ts';

/** The length of a schema's JSON, roughly, and of what it refers to outside itself. Characters. */
export interface SchemaSize {
  readonly own: number;
  readonly inlined: number;
}

/** The size of what `inlineSchema` makes, without making it: many tools may refer to one large schema. */
export function measureSchema(schema: unknown, resolve: ResolveReference): SchemaSize {
  const own = measure(schema);
  const seen = new Set<string>();
  const waiting = [...own.references];
  let inlined = 0;
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    if (seen.has(reference)) continue;
    seen.add(reference);
    const part = measure(resolve(reference));
    inlined += part.characters;
    for (const each of part.references) waiting.push(each);
  }
  return { own: own.characters, inlined };
}

interface Part {
  readonly characters: number;
  /** References that leave the schema. */
  readonly references: readonly string[];
}

/** Schemas of a registry are the same objects for each tool. */
const measured = new WeakMap<object, Part>();

function measure(schema: unknown): Part {
  const known = isRecord(schema) ? measured.get(schema) : undefined;
  if (known !== undefined) return known;
  const references = new Set<string>();
  let characters = 0;
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const value = waiting.pop();
    characters += 3 + (typeof value === 'string' ? value.length : 0);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) characters += key.length + 3;
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#'))
        references.add(inner);
      waiting.push(inner);
    }
  }
  const part = { characters, references: [...references] };
  if (isRecord(schema)) measured.set(schema, part);
  return part;
}
