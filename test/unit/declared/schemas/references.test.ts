import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineSchema } from '../../../../src/declared/schemas/inlineSchema.ts';
import { measureSchema } from '../../../../src/declared/schemas/measureSchema.ts';

// Schemas of a registry that refer to very many others, or to each other in a long row.

test('a schema with very many references is measured', () => {
  const many = { allOf: Array.from({ length: 150_000 }, (_, at) => ({ $ref: `r${at}` })) };
  const size = measureSchema({ $ref: 'many' }, (name) => (name === 'many' ? many : undefined));
  assert.ok(size.inlined > 500_000);
});

test('a long row of schemas that refer to each other is inlined', () => {
  const LENGTH = 900;
  const row = (at: number): object => {
    let schema: object = at === LENGTH ? { type: 'string' } : { $ref: `s${at + 1}` };
    for (let depth = 0; depth < 45; depth++) schema = { not: schema };
    return schema;
  };
  const resolve = (name: string) => row(Number(name.slice(1)));
  const inlined = inlineSchema({ type: 'object', not: { $ref: 's1' } }, resolve);
  assert.equal(Object.keys(Reflect.get(inlined, '$defs')).length, LENGTH);
});

test('an inlined schema takes no name that the schema has', () => {
  const own = { $defs: { ref1: { type: 'string' } } };
  const schema = { ...own, properties: { a: { $ref: '#/$defs/ref1' }, b: { $ref: 'number' } } };
  assert.deepEqual(
    inlineSchema(schema, () => ({ type: 'number' })),
    {
      $defs: { ref1: { type: 'string' }, ref2: { type: 'number' } },
      properties: { a: { $ref: '#/$defs/ref1' }, b: { $ref: '#/$defs/ref2' } },
    },
  );
});
