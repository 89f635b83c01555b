import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlTree } from '../../../../src/declared/manifest/parseYaml.ts';

/** The messages of a text. */
const errors = (text: string) => parseYamlTree(text).parseErrors.map(({ message }) => message);

for (const keys of [
  '{1: a, "1": b}',
  '{null: a, ~: b}',
  '{"": a, null: b}',
  '{true: a, "true": b}',
  '{k: &a x, *a : 1, *a : 2}',
  '{k: &a x, x: 1, *a : 2}',
  '{k: &a 1, *a : 1, "1": 2}',
  '[&a x, &a y, {*a : 1, y: 2}]',
  '{&a x: 1, *a : 2}',
]) {
  test(`keys that become the same name are repeated: ${keys}`, () => {
    assert.deepEqual(errors(keys), ['Map keys must be unique']);
  });
}

test('keys with other names are not', () => {
  assert.deepEqual(errors('{1: a, 1.5: b, "1.0": c, null: d, "null": e, x: f, X: g}'), []);
});

test('an alias stands for the last anchor before it', () => {
  assert.deepEqual(errors('[&a x, {*a : 1, y: 2}, &a y]'), []);
  assert.deepEqual(parseYamlTree('[&a x, &a y, {*a : 1, x: 2}]').value, ['x', 'y', { y: 1, x: 2 }]);
});

test('a mapping or sequence is no key', () => {
  for (const keys of ['{[a]: 1}', '{{a: 1}: 2}', '{k: &a [x], *a : 1}', '? {a: 1}\n: 2\n']) {
    assert.deepEqual(errors(keys), ['Map keys must be strings'], keys);
  }
});

test('a name that an alias stands for is found', () => {
  const text = '- &a resource\n- *a : tool\n  1: x\n';
  const tree = parseYamlTree(text);
  assert.equal(tree.keyAt(['1', 'resource']).offset, text.indexOf('*a'));
  assert.equal(tree.at(['1', 'resource']).offset, text.indexOf('tool'));
  assert.deepEqual(parseYamlTree('&a resource: x\nlist: [1]\n').rootKeys, ['resource', 'list']);
});
