import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Ajv } from 'ajv/dist/ajv.js';
import fc from 'fast-check';
import { isPlainSchema } from '../../../../src/declared/manifest/parsePlainSchema.ts';

test('a common schema needs no metaschema', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      tags: { type: 'array', items: { enum: ['a'] } },
    },
    required: ['path'],
    additionalProperties: false,
  };
  assert.equal(isPlainSchema(schema), true);
  for (const strange of [
    { type: 'strnig' },
    { $ref: '#' },
    { required: ['a', 'a'] },
    { minLength: -1 },
    { items: [] },
    5,
  ]) {
    assert.equal(isPlainSchema(strange), false, JSON.stringify(strange));
  }
});

test('a schema that is plain passes both metaschemas', () => {
  const options = { strict: false, logger: false, validateFormats: false } as const;
  const both = [new Ajv(options), new Ajv2020(options)];
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.constant({}),
    fc.constantFrom('object', 'array', 'integer'),
  );
  const key = fc.constantFrom(
    'type',
    'required',
    'enum',
    'const',
    'default',
    'minLength',
    'maxItems',
    'minimum',
    'uniqueItems',
    'pattern',
    'format',
    'title',
    '$ref',
    'items',
    'additionalProperties',
    'x',
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.dictionary(key, value),
      fc.record({ properties: fc.dictionary(fc.string(), tie('schema')), items: tie('schema') }),
    ),
  }));
  fc.assert(
    fc.property(schema, (candidate) => {
      if (!isPlainSchema(candidate)) return;
      for (const ajv of both)
        assert.equal(ajv.validateSchema(candidate as object), true, JSON.stringify(candidate));
    }),
    { seed: 7, numRuns: 2000 },
  );
});
