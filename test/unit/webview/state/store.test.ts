import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatItem, ChatState } from '../../../../src/webview/messages/chatState.ts';
import type { Strings } from '../../../../src/webview/messages/stringKeys.ts';
import { Store } from '../../../../src/webview/state/store.ts';

test('views are notified once per post', () => {
  const store = new Store();
  let told = 0;
  store.subscribe(() => {
    told += 1;
  });
  const words = {} as Strings;
  store.apply('chat-1', [{ type: 'item', item: note('a', 'too early') }]);
  store.snapshot({ session: 'chat-1', state: state(), strings: words });
  store.apply('chat-2', [{ type: 'item', item: note('a', 'of another session') }]);
  store.apply('chat-1', [
    { type: 'item', item: note('a', 'one') },
    { type: 'item', item: note('b', 'two') },
  ]);
  assert.equal(told, 2);
  assert.equal(store.shown?.state.items.length, 2);
});

test('text that grows waits for the next frame, and a request does not', () => {
  const frames: (() => void)[] = [];
  const store = new Store({
    requestAnimationFrame: (callback) => frames.push(callback),
    cancelAnimationFrame: () => frames.splice(0),
    setTimeout: () => 0,
    clearTimeout: () => undefined,
  });
  let told = 0;
  store.subscribe(() => {
    told += 1;
  });
  const text: ChatItem = { kind: 'agent', id: 'a', text: '', done: false };
  store.snapshot({ session: 's', state: { ...state(), items: [text] }, strings: {} as Strings });
  store.apply('s', [{ type: 'append', id: 'a', text: 'one ' }]);
  store.apply('s', [{ type: 'append', id: 'a', text: 'two ' }]);
  assert.equal(told, 1);
  assert.equal(frames.length, 1);
  frames[0]?.();
  assert.equal(told, 2);
  assert.equal(itemText(store), 'one two ');

  store.apply('s', [{ type: 'append', id: 'a', text: 'three' }]);
  store.apply('s', [{ type: 'set', values: { activity: 'running' } }]);
  assert.equal(told, 3);
  assert.equal(itemText(store), 'one two three');
  assert.equal(frames.length, 0);

  store.apply('s', [{ type: 'append', id: 'a', text: ' late' }]);
  store.snapshot({ session: 't', state: state(), strings: {} as Strings });
  assert.equal(frames.length, 0);
});

function itemText(store: Store): string | undefined {
  const [item] = store.shown?.state.items ?? [];
  return item !== undefined && 'text' in item ? item.text : undefined;
}

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
