import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId } from '../../../src/base/ids.ts';

test('VC-90: 5000 ids made in one millisecond are unique, 30 characters long and sorted as made', () => {
  const now = Date.now();
  const ids = Array.from({ length: 5000 }, () => createId('prt', now));
  assert.equal(new Set(ids).size, 5000);
  assert.equal(
    ids.every((id) => /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(id)),
    true,
  );
  assert.deepEqual([...ids].sort(), ids);
});

test('a clock that steps back still gives ids that sort as made', () => {
  const later = createId('msg', Date.now() + 60_000);
  const earlier = createId('msg', Date.now());
  assert.equal(later < earlier, true);
});

test('the prefix says what an id stands for', () => {
  assert.deepEqual(
    (['ses', 'msg', 'prt'] as const).map((prefix) => createId(prefix).slice(0, 4)),
    ['ses_', 'msg_', 'prt_'],
  );
});
