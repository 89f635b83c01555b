import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHolding, settleChip } from '../../../../src/webview/composer/chipFocus.ts';
import type { Chip } from '../../../../src/webview/messages/attached.ts';

const READY: Chip = { id: '1', kind: 'file', label: 'a.ts' };
const READING: Chip = { id: 'r', kind: 'file', label: 'src', reading: true };

test('what was read takes the place of its chip', () => {
  const attached = { id: '2', kind: 'folder', label: 'src' } as const;
  assert.deepEqual(settleChip([READING, READY], 'r', { attached }), [
    { ...attached, request: 'r' },
    READY,
  ]);
});

test('a chip that could not be read stays, with the reason', () => {
  assert.deepEqual(settleChip([READY, READING], 'r', { fault: 'It is gone.' }), [
    READY,
    { id: 'r', kind: 'file', label: 'src', fault: 'It is gone.' },
  ]);
});

test('a chip that was removed does not come back', () => {
  assert.deepEqual(settleChip([READY], 'r', { attached: { ...READY, id: '2' } }), [READY]);
});

test('a message is held by a chip that failed, else by one that is being read', () => {
  const failed: Chip = { ...READING, fault: 'It is gone.' };
  assert.equal(findHolding([READY]), undefined);
  assert.equal(findHolding([READY, READING]), READING);
  assert.equal(findHolding([READING, failed]), failed);
});
