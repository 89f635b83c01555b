import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AttachedContent } from '../../../../src/extension/chat/message.ts';
import type { HostExit } from '../../../../src/extension/host/hostProcess.ts';
import { emptyMemento } from '../extensionSide.ts';
import { settle } from '../fakeClock.ts';
import { promptText, start, until } from '../inProcessHost.ts';

const EXIT: HostExit = { code: 0, signal: null, stderrTail: '', restartIn: undefined };
const CONTENT: ContentBlock = { type: 'resource_link', uri: 'file:///work/a.ts', name: 'a.ts' };
const ATTACHED: AttachedContent = {
  chip: { id: 'c1', kind: 'file', label: 'a.ts' },
  content: CONTENT,
};

/** A turn that does not end, with two messages behind it. */
async function queueTwo() {
  const memento = emptyMemento();
  const started = start({ queue: true }, memento);
  const { chats, chat, script, calls } = started;
  script.push(() => new Promise(() => undefined));
  const sent = (text: string) =>
    until(() =>
      calls.some(([method, params]) => method === 'session/prompt' && promptText(params) === text)
        ? true
        : undefined,
    );
  void chats.send(chat, 'one');
  await sent('one');
  void chats.send(chat, 'two', [ATTACHED]);
  void chats.send(chat, 'three');
  await sent('three');
  await settle();
  return { ...started, memento };
}

const notes = (chat: ReturnType<typeof start>['chat']) =>
  chat.state.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));

test('queued messages are back in the input after the window was reloaded, and are not sent', async () => {
  const before = await queueTwo();
  const { id = '' } = before.chat;
  before.unsent.close();
  before.die(EXIT);
  await settle();

  const { chats, calls } = start({ queue: true }, before.memento);
  const session = chats.open(id);
  await chats.load(session);
  assert.deepEqual(notes(session), [
    'The window closed before 2 messages were sent. They are in the input again.',
  ]);
  assert.deepEqual(
    session.takeReturned().map(({ text, attached }) => [text, attached]),
    [
      ['two', [{ chip: ATTACHED.chip }]],
      ['three', []],
    ],
  );
  assert.ok(!calls.some(([method]) => method === 'session/prompt'));
  await settle();

  // The input has them, and keeps them itself.
  const again = start({ queue: true }, before.memento);
  assert.deepEqual(again.chats.open(id).takeReturned(), []);
});

test('messages that no page has taken are kept over a second reload', async () => {
  const before = await queueTwo();
  const { id = '' } = before.chat;
  before.unsent.close();
  const second = start({ queue: true }, before.memento);
  second.chats.open('another');
  second.chats.open(id);
  await settle();
  second.unsent.close();
  const third = start({ queue: true }, before.memento);
  assert.deepEqual(
    third.chats
      .open(id)
      .takeReturned()
      .map(({ text }) => text),
    ['two', 'three'],
  );
});

test('a message whose turn has begun is not kept', async () => {
  const memento = emptyMemento();
  const { chats, chat } = start({ queue: true }, memento);
  await Promise.all(['one', 'two'].map((text) => chats.send(chat, text)));
  await settle();
  assert.equal(memento.get('gatehouse.unsent'), undefined);
});

test('a message that the running turn has taken is not kept', async () => {
  const memento = emptyMemento();
  const { chats, chat, script } = start({ queue: true }, memento);
  const steered = Promise.withResolvers<void>();
  script.push(async (_client, _sessionId, take) => {
    await steered.promise;
    take();
    return new Promise(() => undefined);
  });
  void chats.send(chat, 'one');
  await until(() => (chat.state.activity === 'running' ? true : undefined));
  const second = chats.send(chat, 'two');
  await until(() => memento.get('gatehouse.unsent'));
  steered.resolve();
  await second;
  await settle();
  assert.equal(chat.busy, true);
  assert.equal(memento.get('gatehouse.unsent'), undefined);
});

test('a message that no host has received is in the input of the next window', async () => {
  const memento = emptyMemento();
  const { chats, chat, unsent } = start({ queue: true }, memento);
  void chats.send(chat, 'first words');
  await Promise.resolve();
  unsent.close();
  const { chat: next } = start({ queue: true }, memento);
  assert.deepEqual(
    next.takeReturned().map(({ text }) => text),
    ['first words'],
  );
});

test('a kept state that is damaged is ignored', () => {
  const memento = emptyMemento();
  void memento.update('gatehouse.unsent', [
    1,
    { text: 2 },
    { sessionId: 's', text: 'ok', attached: [{}] },
  ]);
  const { chats } = start({ queue: true }, memento);
  assert.deepEqual(chats.open('s').takeReturned(), [{ text: 'ok', attached: [] }]);
});
