import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import type { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import type { SessionChange } from '../../../../src/extension/chat/message.ts';
import { Unread } from '../../../../src/extension/views/unread.ts';
import type { Activity } from '../../../../src/webview/messages/chatState.ts';

test('a turn that ends unseen is unread until the user can see it', () => {
  const { unread, go, seen, ended } = start();
  go('running');
  go('idle');
  assert.deepEqual([unread.count, ended.length], [1, 1]);
  unread.look();
  assert.equal(unread.count, 1);
  seen.value = true;
  unread.look();
  assert.equal(unread.count, 0);
});

test('a turn that ends before the eyes of the user is not unread', () => {
  const { unread, go, seen, ended } = start();
  seen.value = true;
  go('running');
  go('idle');
  assert.deepEqual([unread.count, ended.length], [0, 1]);
});

test('neither a stopped turn nor a loaded session is told', () => {
  const { unread, go, ended } = start();
  go('starting');
  go('idle');
  go('running');
  go('stopping');
  go('idle');
  assert.deepEqual([unread.count, ended.length], [0, 0]);
});

test('a deleted session is not unread, also when its turn ends after that', () => {
  const { unread, go, session, ended } = start();
  let told = 0;
  unread.onDidChange(() => {
    told += 1;
  });
  go('running');
  go('idle');
  unread.remove(session);
  assert.deepEqual([unread.count, unread.has(session), told], [0, false, 2]);

  go('running');
  unread.remove(session);
  go('idle');
  assert.deepEqual([unread.count, ended.length, told], [0, 1, 2]);
});

function start() {
  const changes = new Emitter<SessionChange>();
  const seen = { value: false };
  const ended: unknown[] = [];
  const unread = new Unread({
    chats: { onDidChange: changes.event },
    isSeen: () => seen.value,
    ended: (session) => ended.push(session),
  });
  const state = { activity: 'idle' as Activity };
  const session = { state } as unknown as ChatSession;
  const go = (activity: Activity) => {
    state.activity = activity;
    changes.fire({ session, change: { type: 'set', values: { activity } } });
  };
  return { unread, go, session, seen, ended };
}
