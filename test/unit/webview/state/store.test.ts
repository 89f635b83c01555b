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
