import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { EQUIVALENTS } from '../../mutate/equivalents.ts';
import { applyMutant, findMutants } from '../../mutate/mutants.ts';

const PERMISSIONS = path.resolve(import.meta.dirname, '../../../src/permissions');

test('each mutant that is left out as equivalent is one of the sources', () => {
  for (const { file, line, from, to } of EQUIVALENTS) {
    const source = readFileSync(path.join(PERMISSIONS, file), 'utf8');
    const lines = findMutants(source)
      .filter((mutant) => mutant.from === from && mutant.to === to)
      .map(({ at }) =>
        source
          .slice(source.lastIndexOf('\n', at - 1) + 1)
          .split('\n')[0]
          ?.trim(),
      );
    assert.ok(lines.includes(line), `${file}: ${line}`);
  }
});

test('comments, imports and types are not changed', () => {
  const source = [
    "import { some } from './true.ts';",
    '// a === b',
    'interface Given {',
    '  readonly open: true;',
    '}',
    "type Kind = 'ask' | 'deny';",
    'const found = a === b;',
  ].join('\n');
  assert.deepEqual(
    findMutants(source).map((mutant) => applyMutant(source, mutant).split('\n').at(-1)),
    ['const found = a !== b;'],
  );
});

test('a text that holds the signs of a comment hides no code', () => {
  const source = [
    'const all = `${folder}/**`;',
    "const site = 'https://a.example'; const other = a === b;",
    '/** a && b */',
    'const found = a || b; // a < b',
  ].join('\n');
  assert.deepEqual(
    findMutants(source).map(({ from }) => from),
    [' === ', ' || '],
  );
});
