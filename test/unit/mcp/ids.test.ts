import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toToolIds } from '../../../src/mcp/tools/ids.ts';

const NAMES = ['a.b', 'a_b', 'a-b', 'a/b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`, 'read'];

test('the ids of tools are the same in whatever order a server lists them', () => {
  const ids = toToolIds('s', NAMES, new Set(['read']));
  for (let turn = 1; turn < NAMES.length; turn += 1) {
    const turned = [...NAMES.slice(turn), ...NAMES.slice(0, turn)];
    assert.deepEqual(
      [...toToolIds('s', turned, new Set(['read']))].toSorted(),
      [...ids].toSorted(),
    );
  }
  assert.equal(new Set(ids.values()).size, NAMES.length);
});

test('a name that is an id as it stands has no suffix', () => {
  const ids = toToolIds('s', ['a-b', 'a_b'], new Set());
  assert.deepEqual(
    [...ids],
    [
      ['a_b', 's_a_b'],
      ['a-b', 's_a_b_2'],
    ],
  );
});
