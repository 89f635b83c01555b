import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldCommand } from '../../../../src/webview/controls/fieldKeys.ts';
import type { Key } from '../../../../src/webview/controls/key.ts';

const KEY: Key = {
  key: '',
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false },
  ...{ isComposing: false, keyCode: 0 },
};

test('the page itself selects all, undoes and redoes in a text field', () => {
  const press = (changes: Partial<Key>) => fieldCommand({ ...KEY, ...changes }, false);
  assert.equal(press({ key: 'a', ctrlKey: true }), 'selectAll');
  assert.equal(press({ key: 'A', ctrlKey: true }), 'selectAll');
  assert.equal(press({ key: 'z', ctrlKey: true }), 'undo');
  assert.equal(press({ key: 'Z', ctrlKey: true, shiftKey: true }), 'redo');
  assert.equal(press({ key: 'y', ctrlKey: true }), 'redo');
  for (const key of ['a', 'z', 'y']) {
    assert.equal(press({ key }), undefined);
    assert.equal(press({ key, metaKey: true }), undefined);
    assert.equal(press({ key, ctrlKey: true, altKey: true }), undefined);
    assert.equal(press({ key, ctrlKey: true, isComposing: true }), undefined);
  }
  assert.equal(press({ key: 'A', ctrlKey: true, shiftKey: true }), undefined);
  assert.equal(press({ key: 'c', ctrlKey: true }), undefined);
});

test('on macOS only Command does so; Ctrl+A and Ctrl+Y edit the line there', () => {
  const press = (changes: Partial<Key>) => fieldCommand({ ...KEY, ...changes }, true);
  assert.equal(press({ key: 'a', metaKey: true }), 'selectAll');
  assert.equal(press({ key: 'z', metaKey: true }), 'undo');
  assert.equal(press({ key: 'z', metaKey: true, shiftKey: true }), 'redo');
  for (const key of ['a', 'z', 'y']) assert.equal(press({ key, ctrlKey: true }), undefined);
  assert.equal(press({ key: 'y', metaKey: true }), undefined);
});
