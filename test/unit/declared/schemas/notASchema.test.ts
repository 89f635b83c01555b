import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { messages, surroundings, validateWhole } from '../validated.ts';

test('a reference to a value that is not a schema is reported in words', async () => {
  const input = { type: 'object', properties: { x: { $ref: '#/$defs/a' } }, $defs: { a: null } };
  const around = surroundings({ 'compozy.yaml': 'name: p\n', 'tools.ts': 'export default {};\n' });
  const text = stringify({ resource: 'tool', id: 'x', input });
  const manifest = await validateWhole(text, { name: 't.yaml', around });
  assert.match(
    messages(manifest, 'warning').join('\n'),
    /input cannot be compiled: a \$ref leads to a value that is not a schema: the tool is not offered/,
  );
});
