import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange } from '../../../../src/webview/messages/applyChange.ts';
import type { ChatItem, ChatState } from '../../../../src/webview/messages/chatState.ts';

test('an item is appended once and then replaced in its place', () => {
  const items = [note('a', 'one'), note('b', 'two'), note('a', 'three')]
    .map((item) => ({ type: 'item', item }) as const)
    .reduce(applyChange, state()).items;
  assert.deepEqual(items, [note('a', 'three'), note('b', 'two')]);
});

test('unchanged items keep their identity', () => {
  const before = { ...state(), items: [note('a', 'one'), note('b', 'two')] };
  const after = applyChange(before, { type: 'item', item: note('b', 'new') });
  assert.equal(after.items[0], before.items[0]);
});

test('text is appended to the message it belongs to, and to no other', () => {
  const agent: ChatItem = { kind: 'agent', id: 'm', text: 'a', done: false };
  const before = { ...state(), items: [note('n', 'x'), agent] };
  const after = applyChange(before, { type: 'append', id: 'm', text: 'b' });
  assert.deepEqual(after.items[1], { ...agent, text: 'ab' });
  assert.equal(applyChange(before, { type: 'append', id: 'gone', text: 'b' }).items, before.items);
});

function note(id: string, text: string): ChatItem {
  return { kind: 'note', id, text };
}

function state(): ChatState {
  return {
    activity: 'idle',
    header: { model: 'm', tour: false },
    workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
    options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    ...{ items: [], plan: [], unreviewed: [], asks: [], request: null, queue: [] },
  };
}
