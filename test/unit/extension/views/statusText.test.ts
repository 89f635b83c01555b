import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusText } from '../../../../src/extension/views/statusText.ts';
import { english } from '../english.ts';

test('the status bar shows pending requests before running turns', () => {
  const row = (running: boolean, pending: number) => {
    const { text, command, warning } = statusText({ running, pending }, english);
    return [text, command, warning];
  };
  assert.deepEqual(row(false, 0), ['$(shield) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true, 0), ['$(sync~spin) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true, 2), ['$(shield) 2', 'gatehouse.focusPending', true]);
});
