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
]) {
  test(`keys that become the same name are repeated: ${keys}`, () => {
    assert.deepEqual(errors(keys), ['Map keys must be unique']);
  });
}

test('keys with other names are not', () => {
  assert.deepEqual(errors('{1: a, 1.5: b, "1.0": c, null: d, "null": e, x: f, X: g}'), []);
});
