import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widen } from '../../mutate/kept.ts';

const WHOLE = [[0, Number.MAX_SAFE_INTEGER]];

test('a source that has changed counts as run as a whole by the tests that ran it', () => {
  const covered = { 'a.ts': [[1, 2]], 'b.ts': [[3, 4]] } as const;
  const changed = { sum: 'new', importers: [] };
  assert.deepEqual(
    widen(covered, [
      ['a.ts', changed],
      ['c.ts', changed],
    ]),
    { 'a.ts': WHOLE, 'b.ts': [[3, 4]] },
  );
});

test('a new source counts as run by the tests that ran what imports it', () => {
  const added = { sum: 'new', importers: ['b.ts'] };
  assert.deepEqual(widen({ 'b.ts': [[3, 4]] }, [['new.ts', added]]), {
    'b.ts': [[3, 4]],
    'new.ts': WHOLE,
  });
  assert.deepEqual(widen({ 'a.ts': [[1, 2]] }, [['new.ts', added]]), { 'a.ts': [[1, 2]] });
});
