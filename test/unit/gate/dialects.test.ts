import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FRONT_MATTER } from '../../../src/agentDefinitions/parse.ts';
import { findSchemaFault } from '../../../src/gate/validate.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { REQUIREMENTS } from '../../../src/tools/parseRequirements.ts';

// The host compiles its own schemas without the meta-schema; here they are held against it.
const own = lockedTools([]).map(({ id, parameters }) => [id, parameters] as const);
for (const [name, schema] of [
  ...own,
  ['requirements', REQUIREMENTS] as const,
  ['front matter', FRONT_MATTER] as const,
]) {
  test(`the schema of ${name} is valid`, () => {
    const ajv = new Ajv2020({ strict: true });
    assert.deepEqual([ajv.validateSchema(schema), ajv.errors], [true, null]);
  });
}

const broken: readonly (readonly [string, object])[] = [
  ['a type that does not exist', { type: 'text' }],
  ['a keyword that does not exist', { typo: 'string' }],
  ['a keyword with a value of the wrong kind', { minLength: '1' }],
  ['a pattern that is none', { pattern: '(' }],
];
for (const [name, schema] of broken) {
  test(`a schema with ${name} rejects every input`, async () => {
    await assert.rejects(findSchemaFault(schema, { a: 'x' }));
  });
}
