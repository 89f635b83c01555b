import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSchemaFault } from '../../../src/gate/validate.ts';

const QUESTIONS = {
  type: 'object',
  properties: {
    list: {
      type: 'array',
      items: {
        type: 'object',
        properties: { text: { type: 'string' }, many: { type: 'boolean' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    how: { enum: ['a', 'b'] },
  },
  additionalProperties: false,
};

/** What a model is told of its arguments: enough to call again rightly. */
function check(what: string, input: unknown, expected: string | undefined) {
  test(what, async () => assert.equal(await findSchemaFault(QUESTIONS, input), expected));
}

check('what fits has no fault', { list: [{ text: 'a', many: true }], how: 'a' }, undefined);
check(
  'a wrong name is answered with the right ones',
  { list: [{ text: 'a' }, { text: 'b', multiple: true }] },
  'list/1 must not have the property "multiple"; it may have text, many.',
);
check(
  'at the top too',
  { path: 'a' },
  'The arguments must not have the property "path"; it may have list, how.',
);
check('a missing name is said', { list: [{}] }, "list/0 must have required property 'text'.");
check(
  'a wrong choice is answered with the choices',
  { how: 'c' },
  'how must be equal to one of the allowed values: ["a","b"].',
);

test('an unknown property of a schema without properties is rejected by name', async () => {
  const schema = { type: 'object', additionalProperties: false };
  assert.equal(
    await findSchemaFault(schema, { path: 'a' }),
    'The arguments must not have the property "path".',
  );
});
