import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardShortcut } from '../../../../src/webview/cards/cardKeys.ts';
import type { Key } from '../../../../src/webview/controls/key.ts';

const KEY: Key = {
  key: '',
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false },
  ...{ isComposing: false, keyCode: 0 },
};

test('in a permission card Ctrl+Enter approves and Ctrl+Backspace rejects, and bare keys do nothing', () => {
  const press = (changes: Partial<Key>) => cardShortcut({ ...KEY, ...changes });
  assert.equal(press({ key: 'Enter', ctrlKey: true }), 'approve');
  assert.equal(press({ key: 'Backspace', metaKey: true }), 'reject');
  assert.equal(press({ key: 'Enter', ctrlKey: true, repeat: true }), undefined);
  assert.equal(press({ key: 'Enter' }), undefined);
  assert.equal(press({ key: 'Backspace' }), undefined);
  assert.equal(press({ key: 'Enter', ctrlKey: true, shiftKey: true }), undefined);
});
