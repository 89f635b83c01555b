import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatItem, ToolItem } from '../../../../src/webview/messages/chatState.ts';
import { isFindKey, rowKey } from '../../../../src/webview/transcript/rowKeys.ts';
import { countLooks, findRow, toRows } from '../../../../src/webview/transcript/rows.ts';

const tool = (id: string, change: Partial<ToolItem> = {}): ToolItem => ({
  ...{ kind: 'tool', id, title: id, toolKind: 'read', status: 'completed' },
  ...{ diffs: [], terminals: [], output: '', outputCut: false, locations: [] },
  ...change,
});
const PLAIN = {
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  ...{ repeat: false, isComposing: false, keyCode: 0 },
};
const NOWHERE = { above: false, below: false };
const text = (id: string): ChatItem => ({ kind: 'agent', id, text: 'x', done: true });
const keys = (items: readonly ChatItem[], fold = true) => toRows(items, fold).map(({ key }) => key);

test('consecutive reads and searches are one row', () => {
  const items = [tool('a'), tool('b', { toolKind: 'search' }), tool('c'), text('t'), tool('d')];
  assert.deepEqual(keys(items), ['looks:a', 't', 'd']);
  assert.deepEqual(countLooks([tool('a'), tool('b', { toolKind: 'search' }), tool('c')]), {
    ...{ reads: 2, searches: 1 },
  });
  assert.deepEqual(keys(items, false), ['a', 'b', 'c', 't', 'd']);
});

for (const [what, change] of [
  ['failed', { status: 'failed' }],
  ['was denied', { status: 'denied' }],
  ['waits', { status: 'pending' }],
  ['was asked about', { allowedByUser: true }],
  ['is an edit', { toolKind: 'edit' }],
  ['ended badly', { ended: 2 }],
] as const) {
  test(`a call that ${what} keeps a row of its own`, () => {
    assert.deepEqual(keys([tool('a'), tool('b', change), tool('c'), tool('d')]), [
      ...['a', 'b', 'looks:c'],
    ]);
  });
}

test('keys of rows go on, scroll in tall rows, enter and leave', () => {
  const press = (key: string, inControl = false, overflow = NOWHERE) =>
    rowKey({ ...PLAIN, key }, inControl, overflow);
  assert.equal(press('ArrowDown'), 1);
  assert.equal(press('ArrowUp'), -1);
  assert.equal(press('ArrowDown', false, { above: false, below: true }), 'down');
  assert.equal(press('ArrowUp', false, { above: true, below: false }), 'up');
  assert.equal(press('Home'), 'first');
  assert.equal(press('End'), 'last');
  assert.equal(press('Enter'), 'enter');
  assert.equal(press('Escape'), undefined);
  assert.equal(press('Tab'), undefined);
  assert.equal(press('Enter', true), undefined);
  assert.equal(press('ArrowDown', true), undefined);
  assert.equal(press('Escape', true), 'leave');
  assert.equal(rowKey({ ...PLAIN, key: 'End', ctrlKey: true }, false, NOWHERE), undefined);
});

test('a row is found by what it holds, or held', () => {
  const rows = toRows([text('t'), tool('a'), tool('b')], true);
  assert.deepEqual(
    ['t', 'looks:a', 'b', 'gone'].map((key) => findRow(rows, key)),
    [0, 1, 1, -1],
  );
  assert.equal(findRow(toRows([text('t'), tool('a')], true), 'looks:a'), 1);
});

test('on macOS only Cmd+F opens find, elsewhere only Ctrl+F', () => {
  const ctrl = { ...PLAIN, key: 'f', ctrlKey: true };
  const meta = { ...PLAIN, key: 'F', metaKey: true };
  assert.deepEqual([isFindKey(ctrl, false), isFindKey(meta, true)], [true, true]);
  assert.deepEqual([isFindKey(ctrl, true), isFindKey(meta, false)], [false, false]);
  assert.equal(isFindKey({ ...ctrl, shiftKey: true }, false), false);
});
