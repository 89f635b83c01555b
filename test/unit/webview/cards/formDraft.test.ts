import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canAnswer, toContent } from '../../../../src/webview/cards/formDraft.ts';
import type { FormField } from '../../../../src/webview/messages/asks.ts';

test("a form's answers have the types of their fields", () => {
  const fields: FormField[] = [
    field('one', { type: 'choice', multiple: false, choices: [] }, 'one_custom'),
    field('many', { type: 'choice', multiple: true, choices: [] }),
    field('count', { type: 'integer' }),
    field('sure', { type: 'boolean' }),
    field('name', { type: 'text' }),
  ];
  const draft = {
    one: ['a'],
    many: ['b', 'c'],
    count: '3',
    sure: 'true',
    name: '',
    one_custom: ' ',
  };
  assert.deepEqual(toContent(fields, draft), { one: 'a', many: ['b', 'c'], count: 3, sure: true });
  assert.deepEqual(toContent(fields, { count: '3.5' }), {});
});

test('a form can be sent when its required fields are filled', () => {
  const fields = [
    { ...field('name', { type: 'text' }), required: true },
    field('one', { type: 'choice', multiple: false, choices: [] }, 'one_custom'),
  ];
  assert.equal(canAnswer(fields, {}), false);
  assert.equal(canAnswer(fields, { one: ['a'] }), false);
  assert.equal(canAnswer(fields, { name: 'x' }), true);
  assert.equal(canAnswer(fields.slice(1), { one_custom: 'own words' }), true);
});

function field(name: string, input: FormField['input'], otherKey?: string): FormField {
  return {
    key: name,
    title: name,
    required: false,
    input,
    ...(otherKey !== undefined && { otherKey }),
  };
}
