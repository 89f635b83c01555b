import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListSessionsRequest } from '@agentclientprotocol/sdk';
import { Emitter } from '../../../../src/base/event.ts';
import type { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import { SessionListing } from '../../../../src/extension/sessions/sessionListing.ts';
import { settle } from '../fakeClock.ts';
import { start } from '../inProcessHost.ts';

function open() {
  const { chats, chat, clock } = start();
  const asked: ListSessionsRequest[] = [];
  const connected = new Emitter<never>();
  const unread = new Set<ChatSession>();
  const changed = new Emitter<void>();
  const elsewhere = new Emitter<void>();
  const sessions = [{ sessionId: 'ses_1', cwd: '/work', title: 'Stored', updatedAt: null }];
  const listSessions = async (request: ListSessionsRequest) => {
    asked.push(request);
    return { sessions };
  };
  const listing = new SessionListing({
    link: {
      connection: async () => ({ listSessions }) as never,
      onDidConnect: connected.event,
      onDidChangeSessions: elsewhere.event,
    },
    ...{ chats, clock, folders: () => ['/work'] },
    unread: { has: (session) => unread.has(session), onDidChange: changed.event },
  });
  let changes = 0;
  listing.onDidChange(() => {
    changes += 1;
  });
  const state = () => listing.known.entries[0]?.state;
  return {
    chats,
    chat,
    clock,
    asked,
    listing,
    unread,
    changed,
    elsewhere,
    state,
    changes: () => changes,
  };
}

test('a session of this window shows what it does without asking the host', async () => {
  const { chat, asked, listing, unread, changed, state, changes } = open();
  chat.id = 'ses_1';
  await listing.read();
  assert.equal(state(), 'idle');
  chat.set({ activity: 'running' });
  assert.equal(state(), 'busy');
  chat.set({ retry: { kind: 'x', reason: '', attempt: 1, maxAttempts: 2, at: 0 } });
  assert.equal(state(), 'retrying');
  chat.set({ activity: 'idle', retry: null });
  unread.add(chat);
  changed.fire();
  assert.equal(state(), 'unread');
  assert.equal(asked.length, 1);
  assert.ok(changes() >= 3);
});

test('text that streams neither draws the list nor reads it again', async () => {
  const { chat, clock, asked, listing, changes } = open();
  chat.id = 'ses_1';
  chat.set({ activity: 'running' });
  clock.tick(1_000);
  await listing.read();
  const before = changes();
  for (let at = 0; at < 50; at += 1) {
    chat.update({
      ...{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'word ' } },
    });
  }
  clock.tick(1_000);
  await listing.read();
  assert.equal(changes(), before);
  assert.equal(asked.length, 1);
});

test('changes of a moment are read once, and a change while the list is read makes it be read again', async () => {
  const { chat, clock, asked, listing } = open();
  chat.id = 'ses_1';
  await listing.read();
  chat.set({ title: 'One' });
  chat.set({ title: 'Two' });
  clock.tick(300);
  const reading = listing.read();
  listing.invalidate();
  await reading;
  await settle();
  assert.equal(listing.isValid, true);
  assert.equal(asked.length, 3);
  assert.equal(listing.known.entries[0]?.title, 'Two');
});

test('archived sessions are asked for only while they are shown', async () => {
  const { asked, listing } = open();
  await listing.read();
  listing.showArchived(true);
  await listing.read();
  const metas = asked.map(({ _meta }) => _meta);
  assert.deepEqual(metas, [undefined, { gatehouse: { archived: true } }]);
});

test('a change in another window is read soon, and several at once only once', async () => {
  const { clock, asked, listing, elsewhere, changes } = open();
  await listing.read();
  for (let count = 0; count < 5; count += 1) elsewhere.fire();
  assert.equal(listing.isValid, true);
  clock.tick(300);
  assert.deepEqual([listing.isValid, changes()], [false, 1]);
  await listing.read();
  assert.equal(asked.length, 2);
});

test('a refresh is announced, so that a view which is hidden without sessions learns of the first ones', async () => {
  const { asked, listing, changes } = open();
  await listing.read();
  listing.refresh();
  assert.deepEqual([listing.isValid, changes()], [false, 1]);
  await listing.read();
  assert.equal(asked.length, 2);
});
